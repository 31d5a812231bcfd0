"""What pickled games and states are made of again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plyground import _core

if TYPE_CHECKING:
    from plyground.rules import Game


def game(spec: str, position: str | None, encoder: str) -> _core.Game:
    """A game of the list."""
    return _core.open_game(spec, position, encoder)


def own_game(rules: Game) -> _core.Game:
    """A game that is written in Python."""
    from plyground.games import load_game

    return load_game(rules)


def state(game: _core.Game, moves: list[str]) -> _core.State:
    """The state after these moves."""
    return game.state_after(moves)
