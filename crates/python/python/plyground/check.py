"""The laws that every game keeps, tried on a game that is written in Python."""

from __future__ import annotations

import copy
import random
from typing import Any

from plyground.games import load_game
from plyground.rules import CHANCE, Game, Result


class BrokenLaw(AssertionError):
    """A law that the rules of a game do not keep; the message says which, and in which position."""


def check(game: Game, *, games: int = 100, most_plies: int = 1_000, seed: int = 0) -> None:
    """Plays random games and checks after every move what agents rely on. Raises ``BrokenLaw`` with the first thing that is wrong.

    The laws: ``start`` is the same every time; a player to move has a move; moves are different words; asked twice, the rules answer the
    same; ``play`` leaves the old state as it was; what chance may do sums to 1; different positions have different texts (states with the
    same text have the same turn and moves); games end; ``all_moves`` and ``most_moves`` keep what they say; a board keeps its size.
    """
    walk = _Walk(game, random.Random(seed), most_plies)
    walk.law(game.text(game.start()) == game.text(game.start()), "start() gives another state every time", game.start())
    for _ in range(games):
        walk.play()
    # And it can be loaded and played as other games are.
    state = load_game(game).new_initial_state()
    while not state.is_terminal():
        state.apply_action(walk.random.choice(state.legal_actions()))


class _Walk:
    def __init__(self, game: Game, numbers: random.Random, most_plies: int) -> None:
        self.game = game
        self.random = numbers
        self.most_plies = most_plies
        self.seen: dict[str, tuple[object, tuple[str, ...]]] = {}
        listed = game.all_moves()
        self.all_moves = None if listed is None else set(listed)
        if listed is not None:
            self.law(len(set(listed)) == len(listed), "all_moves() has a move twice", game.start())
        self.size: tuple[int, int] | None = None

    def law(self, holds: bool, broken: str, state: Any) -> None:
        if not holds:
            raise BrokenLaw(f"{broken}; the position is {self.game.text(state)}")

    def play(self) -> None:
        game, state, plies = self.game, self.game.start(), 0
        for _ in range(self.most_plies):
            turn = game.turn(state)
            text = game.text(state)
            self.law(isinstance(text, str) and "\n" not in text and text != "", "text() is not one line of text", state)
            self.law(turn in (0, 1, CHANCE) or isinstance(turn, Result), f"turn() answers {turn!r}, and not 0, 1, CHANCE or a Result", state)
            self.board(state)
            possible: list[str] = []
            if isinstance(turn, Result):
                self.same(state, turn, possible)
                most = game.most_moves
                self.law(most is None or plies <= most, f"the game took {plies} moves; most_moves says {most}", state)
                return
            if turn == CHANCE:
                possible = self.outcomes(state)
            else:
                plies += 1
                possible = self.moves(state)
            self.same(state, turn, possible)
            move = self.random.choice(possible)
            before = copy.deepcopy(state)
            following = game.play(state, move)
            self.law(game.text(state) == game.text(before) == text, f"play() changed the state it was given, with {move}", before)
            self.law(following is not None, f"play() gave nothing after {move}", state)
            state = following
        self.law(False, f"a game did not end within {self.most_plies} plies", state)

    def moves(self, state: Any) -> list[str]:
        moves = list(self.game.moves(state))
        self.law(len(moves) > 0, "a player is to move and has no move", state)
        self.law(all(_is_word(move) for move in moves), f"moves() has something that is not a word without spaces: {moves!r}", state)
        self.law(len(set(moves)) == len(moves), f"moves() has a move twice: {sorted(moves)}", state)
        self.law(list(self.game.moves(state)) == moves, "moves() answers differently when it is asked again", state)
        if self.all_moves is not None:
            strange = sorted(set(moves) - self.all_moves)
            self.law(not strange, f"moves() has what all_moves() has not: {strange}", state)
        return moves

    def outcomes(self, state: Any) -> list[str]:
        outcomes = list(self.game.chance(state))
        self.law(len(outcomes) > 0, "chance is to move and chance() has no outcome", state)
        self.law(all(_is_word(word) for word, _ in outcomes), f"chance() has something that is not a word without spaces: {outcomes!r}", state)
        self.law(len({word for word, _ in outcomes}) == len(outcomes), "chance() has an outcome twice", state)
        self.law(all(share > 0 for _, share in outcomes), "chance() has an outcome that cannot happen", state)
        total = sum(share for _, share in outcomes)
        self.law(abs(total - 1) < 1e-6, f"the probabilities of chance() sum to {total}, and not to 1", state)
        most = self.game.most_outcomes
        self.law(len(outcomes) <= most, f"chance() has {len(outcomes)} outcomes; most_outcomes says {most}", state)
        return [word for word, _ in outcomes]

    def same(self, state: Any, turn: object, possible: list[str]) -> None:
        """Positions with the same text are the same position."""
        known = self.seen.setdefault(self.game.text(state), (turn, tuple(sorted(possible))))
        self.law(known == (turn, tuple(sorted(possible))), "two positions have the same text(), and different moves", state)

    def board(self, state: Any) -> None:
        rows = self.game.board(state)
        if rows is None:
            return
        sizes = {len(row) for row in rows}
        self.law(len(sizes) == 1, f"the rows of board() have different lengths: {sorted(sizes)}", state)
        size = (len(rows), sizes.pop())
        self.law(1 <= size[0] <= 99 and 1 <= size[1] <= 26, f"board() is {size[1]}x{size[0]}; boards are 1x1 to 26x99", state)
        self.law(self.size in (None, size), f"board() is {size}, and was {self.size} before", state)
        self.size = size


def _is_word(text: object) -> bool:
    return isinstance(text, str) and 0 < len(text.encode()) <= 100 and not any(letter.isspace() for letter in text)
