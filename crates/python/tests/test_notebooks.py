"""The notebooks run from top to bottom, and what they show first was shown by this version."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(os.environ.get("PLYGROUND_ROOT", Path(__file__).parents[3])) / "docs/notebooks"
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 4, NOTEBOOKS


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    for package in ("torch", "matplotlib"):
        if any(f"import {package}" in source for source in sources):
            pytest.importorskip(package)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(tmp_path)
    # As in a notebook: classes of cells have a module.
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for number, source in enumerate(sources):
        lines = [line for line in source.splitlines() if not line.startswith("%")]
        tree = ast.parse("\n".join(lines), f"{name}.ipynb, cell {number}")
        last = tree.body[-1] if tree.body else None
        if isinstance(last, ast.Expr):
            tree.body.pop()
        exec(compile(tree, f"{name}.ipynb, cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"{name}.ipynb, cell {number}", "eval"), names)
            shown.append(value)
    assert shown, "a notebook shows something"
    assert any(cell.get("outputs") for cell in cells), "it was kept with what it shows"
