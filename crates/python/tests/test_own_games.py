"""Games that are written in Python."""

from __future__ import annotations

import importlib.util
import pickle
import random
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest

import plyground as ply


def example(root: Path, name: str) -> ModuleType:
    path = root / "crates/python/examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TicTacToe(ply.Game):
    """The twin of a game of the list."""

    name = "twin"

    def start(self) -> str:
        return "." * 9

    def turn(self, state: str) -> int | ply.Result:
        for a, b, c in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)):
            if state[a] != "." and state[a] == state[b] == state[c]:
                return ply.Result.win("xo".index(state[a]))
        return ply.Result.DRAW if "." not in state else state.count("x") - state.count("o")

    def moves(self, state: str) -> list[str]:
        return ["abc"[place % 3] + "321"[place // 3] for place in range(9) if state[place] == "."]

    def play(self, state: str, move: str) -> str:
        place = "abc".index(move[0]) + 3 * "321".index(move[1])
        return state[:place] + "xo"[cast(int, self.turn(state))] + state[place + 1 :]

    def board(self, state: str) -> list[str]:
        return [state[0:3], state[3:6], state[6:9]]


class Dice(ply.Game):
    """Who throws more wins: a game of chance."""

    name = "dice"
    most_outcomes = 6

    def start(self) -> tuple[str, ...]:
        return ()

    def turn(self, state: tuple[str, ...]) -> int | ply.Result:
        if len(state) < 4:
            return (0, ply.CHANCE, 1, ply.CHANCE)[len(state)]
        one, other = state[1], state[3]
        return ply.Result.DRAW if one == other else ply.Result.win(int(other > one))

    def moves(self, state: tuple[str, ...]) -> list[str]:
        return ["throw"]

    def play(self, state: tuple[str, ...], move: str) -> tuple[str, ...]:
        return (*state, move)

    def chance(self, state: tuple[str, ...]) -> list[tuple[str, float]]:
        return [(str(eyes), 1 / 6) for eyes in range(1, 7)]


def test_python_and_rust_in_lockstep() -> None:
    twin = ply.load_game(TicTacToe())
    for seed in range(30):
        numbers = random.Random(seed)
        ours, theirs = ply.load_game("tictactoe").new_initial_state(), twin.new_initial_state()
        while True:
            assert ours.current_player() == theirs.current_player() and ours.returns() == theirs.returns()
            moves = [sorted(state.action_to_string(action) for action in state.legal_actions()) for state in (ours, theirs)]
            assert moves[0] == moves[1]
            if ours.is_terminal():
                break
            move = numbers.choice(moves[0])
            ours.play(move)
            theirs.play(move)
    assert [ply.perft(twin, depth) for depth in (1, 2, 3)] == [ply.perft("tictactoe", depth) for depth in (1, 2, 3)]
    assert ply.solve(twin).value == "draw"


def test_the_example_has_everything(root: Path) -> None:
    game = example(root, "notakto").Notakto()
    ply.check(game)
    # Plambeck and Whitehead (2013): on one board the first player wins, in the middle.
    solved = ply.solve(game)
    assert (solved.value, solved.move) == ("win", "b2")
    told = ply.match(game, "mcts:sims=100", "random", pairs=5, data=False)
    assert told.games == 10 and told.score > 0.6 and told.game.startswith("notakto:python=")
    state = ply.load_game(game).new_initial_state()
    state.play("b2")
    assert "x" in str(state) and state.observation_tensor()[0].sum() == 1 and state._repr_svg_().count("<circle") == 1
    choice = ply.agent("alphabeta:depth=8").choose(state)
    assert choice.value == -1
    assert ply.vector(game, 3).reset().masks.sum() == 27


def test_games_of_chance() -> None:
    game = Dice()
    ply.check(game)
    state = ply.load_game(game).new_initial_state()
    state.play("throw")
    assert state.is_chance_node() and len(state.chance_outcomes()) == 6
    state.play("6")
    assert ply.agent("mcts:sims=300").choose(state).value is not None
    assert ply.balance(game, agents=["random"], games=50, data=False).games == 50


def test_a_pickled_state_of_an_own_game_comes_back() -> None:
    state = ply.load_game(TicTacToe()).new_initial_state()
    state.play("b2")
    again = pickle.loads(pickle.dumps(state))
    assert again == state and again.moves() == ["b2"]


def broken(**methods: Any) -> ply.Game:
    return cast(ply.Game, type("Broken", (TicTacToe,), methods)())


@pytest.mark.parametrize(
    ("methods", "sentence"),
    [
        ({"moves": lambda self, state: []}, "a player is to move and has no move"),
        ({"moves": lambda self, state: ["a1", "a1"]}, "moves\\(\\) has a move twice"),
        ({"moves": lambda self, state: ["a 1"]}, "not a word without spaces"),
        ({"turn": lambda self, state: None}, "turn\\(\\) answers None"),
        ({"play": lambda self, state, move: state}, "did not end within"),
        ({"text": lambda self, state: "always"}, "two positions have the same text"),
        ({"board": lambda self, state: ["xx", "x"]}, "different lengths"),
        ({"most_moves": 3}, "most_moves says 3"),
        ({"all_moves": lambda self: ["a1"]}, "moves\\(\\) has what all_moves\\(\\) has not"),
    ],
)
def test_wrong_rules_are_found_out(methods: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ply.BrokenLaw, match=sentence):
        ply.check(broken(**methods), games=20, most_plies=50)


def test_rules_that_change_their_state_are_found_out() -> None:
    class Careless(ply.Game):
        name = "careless"

        def start(self) -> list[str]:
            return []

        def turn(self, state: list[str]) -> int | ply.Result:
            return ply.Result.DRAW if len(state) == 3 else len(state) % 2

        def moves(self, state: list[str]) -> list[str]:
            return ["a", "b"]

        def play(self, state: list[str], move: str) -> list[str]:
            state.append(move)
            return state

    with pytest.raises(ply.BrokenLaw, match="play\\(\\) changed the state it was given"):
        ply.check(Careless())


def test_exceptions_of_rules_come_out_where_they_were_called() -> None:
    class Explosive(TicTacToe):
        armed = False

        def play(self, state: str, move: str) -> str:
            if Explosive.armed and state.count(".") < 7:
                raise ZeroDivisionError("boom")
            return super().play(state, move)

    game = ply.load_game(Explosive())
    state = game.new_initial_state()
    Explosive.armed = True
    for call in (
        lambda: ply.agent("mcts:sims=100").choose(state),
        lambda: ply.solve(state),
        lambda: ply.perft(state, 5),
        lambda: ply.match(game, "mcts:sims=10", "random", pairs=2, data=False),
    ):
        with pytest.raises(ZeroDivisionError, match="boom"):
            call()
    for move in ("a1", "a2", "a3"):
        state.play(move)
    with pytest.raises(ZeroDivisionError):
        state.play("b1")
    assert state.moves() == ["a1", "a2", "a3"], "everything is as it was"
    Explosive.armed = False
    state.play("b1")
