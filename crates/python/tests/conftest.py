"""What all tests share: runs are kept in a folder of the test, and not in that of the user."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "plyground"


@pytest.fixture
def root() -> Path:
    """The folder of the repository."""
    return Path(os.environ.get("PLYGROUND_ROOT", Path(__file__).parents[3]))
