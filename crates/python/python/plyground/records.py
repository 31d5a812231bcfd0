"""Records of games, as the command reads and writes them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plyground import _core
from plyground.games import load_game


@dataclass(frozen=True)
class Record:
    """A game as it was played: one line of JSON."""

    line: str

    @property
    def page(self) -> dict[str, Any]:
        """All that is in it."""
        found: dict[str, Any] = json.loads(self.line)
        return found

    @property
    def game(self) -> str:
        return str(self.page["game"])

    @property
    def players(self) -> tuple[str, str]:
        one, other = (player["name"] for player in self.page["players"])
        return one, other

    @property
    def moves(self) -> list[str]:
        """Moves and outcomes of chance."""
        return [played["move"] for played in self.page["moves"]]

    @property
    def result(self) -> str:
        """``first``, ``second``, ``draw`` or ``open``."""
        return str(self.page["result"])

    def state(self) -> _core.State:
        """The state after its last move; every move is checked by the rules."""
        return load_game(self.game, position=self.page.get("start")).state_after(self.moves)


def record(state: _core.State, players: tuple[str, str] = ("first", "second")) -> Record:
    """The game that led to a state."""
    return Record(_core.record_of(state, players))


def read_records(file: str | os.PathLike[str]) -> list[Record]:
    """The games of a file in any format that the command reads."""
    return [Record(line) for line in _core.records_of(Path(file).read_text(encoding="utf-8"))]


def write_records(file: str | os.PathLike[str], records: Iterable[Record]) -> None:
    """Writes games into a file, which the command (``ply replay``, ``ply show``) and the app read."""
    Path(file).write_text("".join(record.line.rstrip("\n") + "\n" for record in records), encoding="utf-8")
