"""Games that are written in Python."""

from __future__ import annotations

import enum
import hashlib
import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

#: What ``Game.turn`` answers where chance decides, and ``State.current_player`` there.
CHANCE = -1


class Result(enum.Enum):
    """How a game ended: what ``Game.turn`` answers when it is over."""

    FIRST = "first"
    SECOND = "second"
    DRAW = "draw"

    @staticmethod
    def win(player: int) -> Result:
        """A win of player 0 or 1."""
        return (Result.FIRST, Result.SECOND)[player]


class Game(ABC):
    """The rules of a game for two players: five methods, and a few more for what is known beyond the rules.

    A state may be any object. It is never changed: ``play`` gives a new one. ``text`` tells states apart (``repr`` unless you write it),
    and has to show all that the rest of the game depends on. Moves are words, such as ``b2`` or ``a1b2``; those that are written with the
    squares of the board can be tapped in the app.

    ``plyground.check`` plays your game and says what is wrong with it.
    """

    #: The name of the game, a word in small letters.
    name: ClassVar[str] = "game"
    #: The letters of ``board`` with their owners: 0, 1, or None for pieces of nobody. All others are empty squares.
    pieces: dict[str, int | None] = {"x": 0, "o": 1}
    #: A number of moves that no game exceeds, where one is known.
    most_moves: int | None = None
    #: A number of outcomes that no event of chance exceeds.
    most_outcomes: int = 0

    @abstractmethod
    def start(self) -> Any:
        """The state in which games begin."""

    @abstractmethod
    def turn(self, state: Any) -> int | Result:
        """Who acts: 0, 1, ``plyground.CHANCE``, or how the game ended."""

    @abstractmethod
    def moves(self, state: Any) -> Sequence[str]:
        """The legal moves where a player is to move; there is one at least."""

    @abstractmethod
    def play(self, state: Any, move: str) -> Any:
        """The state after a move, or after an outcome of chance."""

    def text(self, state: Any) -> str:
        """The state as one line of text: equal states have equal texts, different ones different texts."""
        return repr(state)

    def board(self, state: Any) -> Sequence[str] | None:
        """The board as rows of letters from the top, for pictures and networks."""
        return None

    def chance(self, state: Any) -> Sequence[tuple[str, float]]:
        """What chance may do, with probabilities."""
        return []

    def evaluate(self, state: Any) -> float:
        """How good the state is for player 0, in units of your choice: 0 is even, 1 about three to one."""
        return 0.0

    def all_moves(self) -> Sequence[str] | None:
        """Every move that the game can have, in the order in which actions are numbered. Without it, random games are looked at."""
        return None

    def spec(self) -> str:
        """The name of the game with a mark of its code: runs of other rules are other runs."""
        return f"{self.name}:python={mark(type(self), self.__dict__)}"

    @property
    def has_board(self) -> bool:
        """Is there a board to draw?"""
        return self.board(self.start()) is not None

    @property
    def has_evaluation(self) -> bool:
        """Is ``evaluate`` written?"""
        return type(self).evaluate is not Game.evaluate


def mark(thing: Any, parameters: object = None) -> str:
    """A short hash of the code of a class or a function, and of what it was given."""
    try:
        code = inspect.getsource(thing)
    except (OSError, TypeError):
        code = getattr(thing, "__qualname__", type(thing).__qualname__)
        inner = getattr(thing, "__code__", None)
        if inner is not None:
            code += f"{inner.co_code!r}{inner.co_consts!r}"
    return hashlib.blake2b(f"{code}{parameters!r}".encode(), digest_size=4).hexdigest()
