"""Matches, tournaments, tests and balance, in the store that the command uses."""

from __future__ import annotations

import json
import os
import sys
import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from plyground import _core
from plyground.agents import AnyAgent, contender
from plyground.games import AnyGame, load_game

if TYPE_CHECKING:
    import pandas

#: The agents that ``balance`` plays with: the random one, then tree search with ten times as many simulations at each step.
LADDER = ("random", "mcts:sims=10", "mcts:sims=100", "mcts:sims=1000")

#: What is told the pairs that are done, and those that are wanted.
Progress = Callable[[int, int], object]


class Interval(NamedTuple):
    """An interval of 95 % confidence."""

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, (int, float)) and self.low <= value <= self.high

    def __str__(self) -> str:
        return f"[{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True)
class Score:
    """The games of an agent, in its view."""

    agent: str
    wins: int
    draws: int
    losses: int
    #: The share of the points; its interval is taken from pairs of games, where games are paired.
    score: float
    interval: Interval
    #: The difference in Elo, with half the width of its interval; None where all games were equal.
    elo: float | None
    elo_error: float | None
    #: Elo in words, where it is only a bound.
    elo_words: str

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @staticmethod
    def _of(page: dict[str, Any], agent: str) -> Score:
        interval = Interval(page["score_low"], page["score_high"])
        counts = (page["wins"], page["draws"], page["losses"])
        return Score(agent, *counts, page["score"], interval, page["elo"], page["elo_error"], page["elo_words"])

    def _row(self) -> dict[str, object]:
        row = {name: getattr(self, name) for name in ("agent", "games", "wins", "draws", "losses", "score")}
        return {**row, "low": self.interval.low, "high": self.interval.high, "elo": self.elo, "elo_error": self.elo_error}


@dataclass(frozen=True)
class Fault:
    """A game that was lost away from the board."""

    agent: str
    fault: str
    reason: str


@dataclass(frozen=True)
class Outcome:
    """What came of a run. As text it is what the command says."""

    #: The name of the run in the store: ``ply report RUN`` makes a page of it.
    run: str
    game: str
    agents: list[str]
    #: Were all pairs played?
    complete: bool
    games: int
    first_won: int
    drawn: int
    second_won: int
    #: Moves of a game, on the average.
    plies: float | None
    #: The share of the games that repeat an earlier one.
    redundancy: float
    faults: list[Fault]
    words: str
    #: Everything, as the command prints it with --json.
    page: dict[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class MatchResult(Outcome):
    """The result of a match, in the view of the agent that is named first."""

    result: Score
    #: Pairs of games by their points: 0, 1/2, 1, 1 1/2, 2.
    pairs: list[int]

    @property
    def score(self) -> float:
        return self.result.score

    @property
    def interval(self) -> Interval:
        return self.result.interval

    @property
    def elo(self) -> float | None:
        return self.result.elo

    def to_pandas(self) -> pandas.DataFrame:
        """A table with one row."""
        return _table([self.result])


@dataclass(frozen=True)
class TestResult(MatchResult):
    """The result of a sequential test."""

    #: The logarithm of the likelihood ratio, and the bounds at which the test ends.
    llr: float
    bounds: tuple[float, float]
    #: ``accept_h1``, ``accept_h0`` or ``continue``.
    verdict: str

    __test__ = False


@dataclass(frozen=True)
class TournamentResult(Outcome):
    """The result of a tournament."""

    #: Every agent against all others, the strongest first.
    standings: list[Score]
    #: Every two that met, in the view of the first.
    matches: dict[tuple[str, str], Score]

    def to_pandas(self) -> pandas.DataFrame:
        """The standings as a table."""
        return _table(self.standings)


@dataclass(frozen=True)
class BalanceResult(Outcome):
    """How fair a game is: each agent against itself, in the view of the player who moves first."""

    #: From the weakest agent to the strongest.
    first_player: list[Score]

    def to_pandas(self) -> pandas.DataFrame:
        """A table with a row for each agent."""
        return _table(self.first_player)


def _table(scores: Sequence[Score]) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("tables need pandas: pip install pandas") from error
    return pandas.DataFrame([score._row() for score in scores])


@dataclass(frozen=True)
class _Settings:
    kind: str
    pairs: int
    seed: int
    opening_plies: int | None
    time: float | None
    sims: int | None
    threads: int
    store: str | None
    command: str
    sprt: tuple[float, float, float, float, bool] | None = None


def data_folder() -> Path:
    """The folder in which the command keeps its runs (``ply --data``)."""
    found = _core.data_folder()
    if found is None:
        raise _core.InputError("no home directory is known to keep games in: say where with data=FOLDER")
    return Path(found)


def _store(data: str | os.PathLike[str] | None | bool) -> str | None:
    if data is False:
        return None
    folder = data_folder() if data is None or data is True else Path(data)
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder / "runs.sqlite")


def _shown() -> Progress | None:
    """A line of progress, where there is a terminal or a notebook to show it."""
    is_notebook = "ipykernel" in sys.modules
    if not is_notebook and not sys.stderr.isatty():
        return None
    begin, shown = clock.monotonic(), 0.0

    def show(done: int, wanted: int) -> None:
        nonlocal shown
        now = clock.monotonic()
        # What is over in a second needs no line.
        if now - begin > 1 and (now - shown > 0.25 or done == wanted):
            shown = now
            print(f"\r{done} of {wanted} played", end="\n" if done == wanted else "", file=sys.stderr, flush=True)

    return show


@dataclass(frozen=True)
class _Order:
    """What every function here takes beside the agents."""

    pairs: int
    seed: int
    opening_plies: int | None
    time: float | None
    sims: int | None
    threads: int | None
    data: str | os.PathLike[str] | None | bool
    progress: Progress | bool

    def play(
        self,
        kind: str,
        game: AnyGame,
        agents: Sequence[AnyAgent],
        sprt: tuple[float, float, float, float, bool] | None = None,
    ) -> dict[str, Any]:
        loaded, contenders = load_game(game), [contender(agent) for agent in agents]
        # Rules in Python are asked by one thread at a time: more of them only wait for each other.
        threads = 1 if loaded.source is not None else self.threads or os.cpu_count() or 1
        command = f"plyground.{kind}({loaded.spec}, {', '.join(name for name, _ in contenders)})"
        settings = _Settings(
            kind, self.pairs, self.seed, self.opening_plies, self.time, self.sims, threads, _store(self.data), command, sprt
        )
        progress = _shown() if self.progress is True else self.progress or None
        page: dict[str, Any] = json.loads(_core.play_experiment(loaded, contenders, settings, progress))
        if page.get("failures"):
            raise _core.RunError("; ".join(page["failures"]))
        return page


def _common(page: dict[str, Any]) -> dict[str, Any]:
    names = ("run", "game", "agents", "complete", "games", "first_won", "drawn", "second_won", "plies", "redundancy", "words")
    faults = [Fault(fault["agent"], fault["fault"], fault["reason"]) for fault in page["reasons"]]
    return {**{name: page[name] for name in names}, "faults": faults, "page": page}


def match(
    game: AnyGame,
    one: AnyAgent,
    other: AnyAgent,
    *,
    pairs: int = 100,
    seed: int = 0,
    opening_plies: int | None = None,
    time: float | None = None,
    sims: int | None = None,
    threads: int | None = None,
    data: str | os.PathLike[str] | None | bool = None,
    progress: Progress | bool = True,
) -> MatchResult:
    """Who of two is stronger, with an interval. A pair is two games from the same opening with the seats swapped.

    Agents are specs (``"mcts:sims=100"``, ``"level=3"``), functions of the state that give an action or the text of a move, or objects
    with a method ``choose``. All games are kept in the store of the command: the same call goes on where it stopped, and
    ``ply runs`` lists it. ``data`` is another folder for the store, or False to keep nothing. ``time`` (seconds) and ``sims`` limit every
    move. Ctrl-C stops it; what was played is kept.
    """
    order = _Order(pairs, seed, opening_plies, time, sims, threads, data, progress)
    return MatchResult(**_of_match(order.play("match", game, [one, other])))


def _of_match(page: dict[str, Any]) -> dict[str, Any]:
    # Without a game there is no match to speak of.
    found = page.get("match") or {
        **dict.fromkeys(("wins", "draws", "losses"), 0),
        **{"score": 0.5, "score_low": 0.0, "score_high": 1.0, "elo": None, "elo_error": None, "elo_words": "-", "pairs": [0] * 5},
    }
    return {**_common(page), "result": Score._of(found, page["agents"][0]), "pairs": found["pairs"]}


def sprt(
    game: AnyGame,
    new: AnyAgent,
    old: AnyAgent,
    *,
    elo0: float = 0.0,
    elo1: float = 10.0,
    alpha: float = 0.05,
    beta: float = 0.05,
    scale: str = "normalised",
    most_pairs: int = 100_000,
    seed: int = 0,
    opening_plies: int | None = None,
    time: float | None = None,
    sims: int | None = None,
    threads: int | None = None,
    data: str | os.PathLike[str] | None | bool = None,
    progress: Progress | bool = True,
) -> TestResult:
    """A test that stops as soon as it is decided whether the new agent is better by ``elo1`` or only by ``elo0``."""
    if scale not in ("normalised", "logistic"):
        raise _core.InputError(f"unknown scale {scale!r}; expected one of normalised, logistic")
    order = _Order(most_pairs, seed, opening_plies, time, sims, threads, data, progress)
    page = order.play("sprt", game, [new, old], (elo0, elo1, alpha, beta, scale == "normalised"))
    low, high = page["llr_bounds"]
    return TestResult(**_of_match(page), llr=page["llr"], bounds=(low, high), verdict=page["verdict"])


def tournament(
    game: AnyGame,
    agents: Sequence[AnyAgent],
    *,
    pairs: int = 50,
    gauntlet: bool = False,
    seed: int = 0,
    opening_plies: int | None = None,
    time: float | None = None,
    sims: int | None = None,
    threads: int | None = None,
    data: str | os.PathLike[str] | None | bool = None,
    progress: Progress | bool = True,
) -> TournamentResult:
    """Several agents play each other, or with ``gauntlet`` the first one all others; ``pairs`` for each two that meet."""
    order = _Order(pairs, seed, opening_plies, time, sims, threads, data, progress)
    page = order.play("gauntlet" if gauntlet else "tournament", game, agents)
    standings = [Score._of(row, row["agent"]) for row in page["standings"]]
    matches = {(row["agents"][0], row["agents"][1]): Score._of(row, row["agents"][0]) for row in page["matches"]}
    return TournamentResult(**_common(page), standings=standings, matches=matches)


def balance(
    game: AnyGame,
    *,
    agents: Sequence[AnyAgent] = LADDER,
    games: int = 200,
    opening_plies: int = 0,
    seed: int = 0,
    time: float | None = None,
    sims: int | None = None,
    threads: int | None = None,
    data: str | os.PathLike[str] | None | bool = None,
    progress: Progress | bool = True,
) -> BalanceResult:
    """Is the game fair, and how does that change with the strength of the players? Each agent plays so many games against itself, from
    the start. (``ply balance`` has more of it, for games of the list.)"""
    order = _Order(games, seed, opening_plies, time, sims, threads, data, progress)
    page = order.play("self-play", game, agents)
    scores = [Score._of(row, row["agents"][0]) for row in page["matches"]]
    return BalanceResult(**_common(page), first_player=scores)
