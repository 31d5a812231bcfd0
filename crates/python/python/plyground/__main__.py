"""The command ``ply``, which comes with the package: ``python -m plyground`` and ``ply`` are the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn


def program() -> Path | None:
    """Where ``ply`` is, if this package has it."""
    name = "ply.exe" if os.name == "nt" else "ply"
    found = Path(__file__).with_name("bin") / name
    return found if found.is_file() else None


def main() -> NoReturn:
    """Runs ``ply`` with the arguments of this process."""
    found = program()
    if found is None:
        sys.exit("error: this package of plyground was built without the command ply")
    if os.name == "nt":
        sys.exit(subprocess.call([found, *sys.argv[1:]]))
    os.execv(found, ["ply", *sys.argv[1:]])


if __name__ == "__main__":
    main()
