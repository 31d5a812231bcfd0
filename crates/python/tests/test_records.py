"""Records of games, in and out."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

import plyground as ply


def test_records_go_out_and_come_in(tmp_path: Path) -> None:
    games = []
    for spec in ("tictactoe", "tuc-chess:limit=20"):
        state, numbers = ply.load_game(spec).new_initial_state(), random.Random(1)
        while not state.is_terminal():
            state.apply_action(numbers.choice(state.legal_actions()))
        games.append(state)
    file = tmp_path / "games.jsonl"
    ply.write_records(file, [ply.record(state, ("Ada", "random")) for state in games])
    read = ply.read_records(file)
    assert [record.state() for record in read] == games
    assert read[0].players == ("Ada", "random") and read[0].moves == games[0].moves() and read[0].result != "open"
    said = subprocess.run([sys.executable, "-m", "plyground", "replay", str(file)], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr


def test_broken_records_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text('{"plyground":1,"game":"tictactoe"')
    with pytest.raises(ply.InputError, match="line 1: it is cut off"):
        ply.read_records(file)
