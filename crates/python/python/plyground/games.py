"""Opening games."""

from __future__ import annotations

from typing import TypeAlias

from plyground import _core
from plyground.rules import Game

#: What functions take for a game: its spec, one that was loaded, or rules in Python.
AnyGame: TypeAlias = "str | _core.Game | Game"


def load_game(
    game: AnyGame,
    parameters: dict[str, object] | None = None,
    /,
    *,
    position: str | None = None,
    encoder: str | None = None,
    **more: object,
) -> _core.Game:
    """A game by its spec (``clobber:size=8x8``), with parameters beside it (``load_game("clobber", size="8x8")``), or rules in Python.

    ``position`` is the position that games begin with, ``encoder`` what numbers moves and draws planes: ``mover`` as the player to move
    sees the board, ``general`` as it stands, or one of the game's own.
    """
    given = {**(parameters or {}), **more}
    if isinstance(game, str):
        return _core.open_game(_joined(game, given), position, encoder)
    if given or position is not None or encoder is not None:
        raise _core.InputError("expected parameters beside the name of a game; this one is made already")
    if isinstance(game, _core.Game):
        return game
    if not isinstance(game, Game):
        raise _core.InputError(f"expected a spec like 'clobber:size=8x8', a loaded game or a plyground.Game, found {game!r}")
    return _core.own_game(game)


def _joined(spec: str, parameters: dict[str, object]) -> str:
    for key, value in parameters.items():
        if value is False or value is None:
            continue
        word = key if value is True else f"{key}={value}"
        spec += ("," if ":" in spec else ":") + word
    return spec


def registered_names() -> list[str]:
    """The names of the games of the list."""
    return _core.registered_names()
