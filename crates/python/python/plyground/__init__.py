"""Plyground: board games, agents, exact solutions and matches with intervals.

    import plyground as ply

    state = ply.load_game("connect-four").new_initial_state()
    print(ply.agent("mcts:sims=1000").choose(state))
    print(ply.match("connect-four", "level=3", lambda state: state.legal_actions()[0], pairs=20))

Games and states have the words of OpenSpiel. The book has a page about all of it: docs/python.md.
"""

from __future__ import annotations

import atexit

from plyground import _load

# Before anything asks for the core by its name.
_chosen = _load.core()

from plyground import _core
from plyground.__main__ import program as _program
from plyground._core import (
    Agent,
    AgentError,
    Candidate,
    Choice,
    InputError,
    RunError,
    Solution,
    State,
    __version__,
)
from plyground._core import Game as LoadedGame
from plyground.agents import AnyAgent, Chooser, Named, agent, named, perft, solve
from plyground.batches import Autoreset, Step, Vector, vector
from plyground.check import BrokenLaw, check
from plyground.experiments import (
    BalanceResult,
    Fault,
    Interval,
    MatchResult,
    Score,
    TestResult,
    TournamentResult,
    balance,
    data_folder,
    match,
    sprt,
    tournament,
)
from plyground.games import AnyGame, load_game, registered_names
from plyground.networks import Evaluator, Found, Looked, NetworkAgent, SelfPlay, az, self_play
from plyground.records import Record, read_records, record, write_records
from plyground.rules import CHANCE, Game, Result

#: What ``State.current_player`` is at the end of a game.
TERMINAL = -4

_folder = _core.data_folder()
_core.prepare_programs(_program(), None if _folder is None else str(_folder) + "/engines")
atexit.register(_core.dismiss_programs)

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Agent",
    "AgentError",
    "AnyAgent",
    "AnyGame",
    "Autoreset",
    "BalanceResult",
    "BrokenLaw",
    "Candidate",
    "Choice",
    "Chooser",
    "Evaluator",
    "Fault",
    "Found",
    "Game",
    "InputError",
    "Interval",
    "LoadedGame",
    "Looked",
    "MatchResult",
    "Named",
    "NetworkAgent",
    "Record",
    "Result",
    "RunError",
    "Score",
    "SelfPlay",
    "Solution",
    "State",
    "Step",
    "TestResult",
    "TournamentResult",
    "Vector",
    "__version__",
    "agent",
    "az",
    "balance",
    "check",
    "data_folder",
    "load_game",
    "match",
    "named",
    "perft",
    "read_records",
    "record",
    "registered_names",
    "self_play",
    "solve",
    "sprt",
    "tournament",
    "vector",
    "write_records",
]
