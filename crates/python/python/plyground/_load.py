"""The choice of the core: machine code for every x86-64 processor, or for those of the last ten years, which are faster."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType

#: What x86-64-v3 means, as Linux names it.
_V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}


def _has_v3() -> bool:
    if not sys.platform.startswith("linux"):
        return False
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("flags"):
                    return _V3 <= set(line.split(":", 1)[1].split())
    except OSError:
        pass
    return False


def core() -> ModuleType:
    """The core for this processor, known as ``plyground._core`` from then on. ``PLYGROUND_CORE=base`` asks for the plain one."""
    name = "plyground._core_v3"
    if os.environ.get("PLYGROUND_CORE") != "base" and _has_v3():
        try:
            found = importlib.import_module(name)
        except ModuleNotFoundError:
            # A wheel that was built for one machine has one core.
            pass
        else:
            sys.modules["plyground._core"] = found
            return found
    return importlib.import_module("plyground._core")
