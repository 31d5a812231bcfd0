"""Agents: those of the list by their specs, and functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, runtime_checkable

from plyground import _core
from plyground.games import AnyGame, load_game
from plyground.rules import mark


@runtime_checkable
class Chooser(Protocol):
    """Whatever chooses actions: an object with a method ``choose``, whose answer is an action, a move in text, or has an ``action``."""

    def choose(self, state: _core.State, /) -> Any: ...


#: What matches take for an agent: a spec, a function of the state, or an object that chooses.
AnyAgent: TypeAlias = "str | _core.Agent | Chooser | Callable[[_core.State], Any] | Named"


class Named:
    """An agent with a name of its own; see ``named``."""

    def __init__(self, name: str, function: Callable[[_core.State], Any]) -> None:
        if not name or any(letter.isspace() for letter in name) or len(name) > 100:
            raise _core.InputError(f"expected a name without spaces for an agent, found {name!r}")
        self.name = name
        self.function = function


def agent(spec: str, *, seed: int = 0) -> _core.Agent:
    """An agent by its spec: ``agent("mcts:sims=1000").choose(state)`` is a choice, with its value, the visits and the line behind it.

    It keeps what it has learnt while a game goes on, as agents of the command do.
    """
    return _core.Agent(spec, seed)


def named(name: str, function: Callable[[_core.State], Any]) -> Named:
    """A function as an agent with this name, under which the store knows it. Games of the same name count as games of the same agent:
    give a changed agent another one. Functions that are handed over as they are, are named after themselves and their code."""
    return Named(name, function)


def contender(thing: AnyAgent) -> tuple[str, Callable[[_core.State], Any] | None]:
    """The spec of an agent of the list, or the name of another one with what is called for a move."""
    if isinstance(thing, str):
        return thing, None
    if isinstance(thing, _core.Agent):
        return thing.spec, None
    if isinstance(thing, Named):
        return thing.name, thing.function
    if isinstance(thing, Chooser):
        kind = type(thing)
        return f"{kind.__name__}-{mark(kind, getattr(thing, '__dict__', None))}", thing.choose
    if callable(thing):
        name = getattr(thing, "__name__", type(thing).__name__)
        return f"{name.strip('<>')}-{mark(thing)}", thing
    raise _core.InputError(f"expected a spec like 'mcts:sims=100', a function of the state, or an object with choose(), found {thing!r}")


def solve(
    what: AnyGame | _core.State, *, method: str = "auto", memory: int = 500, time: float | None = None
) -> _core.Solution:
    """What perfect play comes to, from a state or from the start of a game: ``value`` for the player to move, a best move, a line.

    ``memory`` is in megabytes; ``time`` is in seconds, and when it is over the value is None.
    """
    state = what if isinstance(what, _core.State) else load_game(what).new_initial_state()
    return _core.solve_state(state, method, memory, time)


def perft(what: AnyGame | _core.State, depth: int) -> int:
    """The number of sequences of so many moves from a state or from the start of a game."""
    state = what if isinstance(what, _core.State) else load_game(what).new_initial_state()
    return _core.perft(state, depth)
