"""Agents, exact solutions, matches: by specs and as functions, in the store of the command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import plyground as ply


def first(state: ply.State) -> int:
    return state.legal_actions()[0]


def test_a_choice_has_value_visits_and_line() -> None:
    state = ply.load_game("connect-four").new_initial_state()
    choice = ply.agent("mcts:sims=200", seed=1).choose(state)
    assert choice.simulations == 200 and choice.line[0] == choice.move
    assert state.action_to_string(choice.action) == choice.move
    assert choice.candidates[0].visits > 0 and sum(candidate.visits for candidate in choice.candidates) <= 200
    assert choice.value is not None and choice.win_chance == pytest.approx((1 + choice.value) / 2)
    again = ply.agent("mcts:sims=200", seed=1).choose(state)
    assert [c.visits for c in again.candidates] == [c.visits for c in choice.candidates], "the same seed, the same search"
    assert ply.agent("mcts:sims=200").choose(state, sims=30).simulations == 30
    with pytest.raises(ply.InputError, match="did you mean 'alphabeta'"):
        ply.agent("alfabeta").choose(state)
    with pytest.raises(ply.InputError, match="expected a time"):
        ply.agent("random").choose(state, time=-1)


def test_an_agent_follows_a_game_back_and_forth() -> None:
    agent = ply.agent("alphabeta:depth=3")
    state = ply.load_game("tictactoe").new_initial_state()
    while not state.is_terminal():
        state.apply_action(agent.choose(state).action)
    assert state.returns() == [0, 0]
    with pytest.raises(ply.AgentError, match="no player is to move"):
        agent.choose(state)
    state.undo_action()
    assert agent.choose(state).action in state.legal_actions()
    # Another game at once.
    other = ply.load_game("clobber:size=3x4").new_initial_state()
    assert agent.choose(other).action in other.legal_actions()


def test_exact_solutions() -> None:
    assert ply.solve("tictactoe").value == "draw"
    solved = ply.solve("pawn:size=4x4")
    assert (solved.value, solved.plies) == ("win", 11) and len(solved.line) == 11
    state = ply.load_game("tictactoe", position="xx1/oo1/3 x 3").new_initial_state()
    assert ply.solve(state).move == "c3"
    assert ply.solve("connect-four:size=7x6", time=0.05).value is None
    assert [ply.perft("tictactoe", depth) for depth in (1, 2, 3)] == [9, 72, 504]


def test_a_match_has_an_interval_and_goes_on(own_store: Path) -> None:
    calls: list[tuple[int, int]] = []
    told = ply.match("tictactoe", "mcts:sims=50", first, pairs=10, seed=1, progress=lambda *done: calls.append(done))
    assert told.games == 20 and told.complete and told.interval.low > 0.5 and told.score in told.interval
    assert calls[-1] == (10, 10) and str(told).startswith("mcts:sims=50")
    assert sum(told.pairs) == 10 and told.result.games == 20
    assert told.agents[1].startswith("own:first-"), "the run has a name of its own for each version of the function"
    again = ply.match("tictactoe", "mcts:sims=50", first, pairs=10, seed=1)
    assert again.page == told.page, "nothing was played again"
    more = ply.match("tictactoe", "mcts:sims=50", first, pairs=12, seed=1)
    assert more.run == told.run and more.games == 24
    assert (own_store / "runs.sqlite").exists()


def test_the_command_knows_the_same_runs(own_store: Path) -> None:
    told = ply.match("clobber:size=4x4", "mcts:sims=20", "random", pairs=5, seed=7)
    command = [sys.executable, "-m", "plyground", "match", "clobber:size=4x4", "mcts:sims=20", "random"]
    said = subprocess.run([*command, "--pairs", "5", "--seed", "7", "--json"], capture_output=True, text=True, check=True)
    page = json.loads(said.stdout)
    assert (page["wins"], page["losses"], page["pairs"]) == (told.result.wins, told.result.losses, told.pairs)
    runs = subprocess.run([sys.executable, "-m", "plyground", "runs"], capture_output=True, text=True, check=True).stdout
    assert told.run in runs and runs.count("clobber:size=4x4") == 1, "one run, and not two"


def test_functions_may_answer_in_many_ways() -> None:
    agent = ply.agent("alphabeta:depth=2")

    class Greedy:
        def choose(self, state: ply.State) -> Any:
            return agent.choose(state)

    def text(state: ply.State) -> tuple[str, float]:
        return state.action_to_string(state.legal_actions()[-1]), 0.5

    told = ply.tournament("tictactoe", [first, text, Greedy(), "random"], pairs=3, data=False, threads=2)
    assert told.games == 36 and not told.faults and len(told.matches) == 6
    assert told.standings[0].agent.startswith("own:Greedy-")


def test_an_agent_that_fails_loses_and_says_why() -> None:
    def broken(state: ply.State) -> int:
        raise KeyError("no such table")

    def cheating(state: ply.State) -> str:
        return "z9"

    told = ply.match("tictactoe", broken, cheating, pairs=1, data=False)
    reasons = " ".join(fault.reason for fault in told.faults)
    assert told.games == 2 and "no such table" in reasons
    assert "expected an action or the text of a move" in ply.match("tictactoe", lambda state: None, "random", pairs=1, data=False).faults[0].reason
    assert ply.match("tictactoe", cheating, "random", pairs=1, data=False).faults[0].fault == "cheated"
    with pytest.raises(ply.InputError, match="it is there twice"):
        ply.match("tictactoe", "random", "random", pairs=1, data=False)
    with pytest.raises(ply.InputError, match="expected a spec like"):
        ply.match("tictactoe", 3, "random", pairs=1, data=False)  # type: ignore[arg-type]


def test_a_test_stops_when_it_is_decided() -> None:
    told = ply.sprt("tictactoe", "mcts:sims=100", "random", elo0=0, elo1=50, most_pairs=2_000, data=False)
    assert told.verdict == "accept_h1" and told.llr >= told.bounds[1] and sum(told.pairs) < 500
    with pytest.raises(ply.InputError, match="elo0 below elo1"):
        ply.sprt("tictactoe", "mcts:sims=10", "random", elo0=5, elo1=1, data=False)


def test_balance_is_in_the_view_of_the_first_player() -> None:
    told = ply.balance("tictactoe", agents=["random"], games=400, data=False)
    score = told.first_player[0]
    assert score.games == 400 and score.interval.low > 0.5 and told.first_won == score.wins


def test_tables_for_pandas() -> None:
    pytest.importorskip("pandas")
    table = ply.tournament("tictactoe", ["mcts:sims=20", "random"], pairs=2, data=False).to_pandas()
    assert list(table.columns)[:2] == ["agent", "games"] and len(table) == 2


@pytest.mark.skipif(os.name == "nt", reason="signals are those of Unix")
@pytest.mark.parametrize("what", ["agent", "match", "solve"])
def test_ctrl_c_stops_what_takes_long(what: str) -> None:
    def work() -> object:
        if what == "agent":
            return ply.agent("mcts:time=10min").choose(ply.load_game("connect-four").new_initial_state())
        if what == "match":
            return ply.match("connect-four", "mcts:sims=2000", first, pairs=100_000, data=False)
        return ply.solve("connect-four", memory=50)

    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    # Undisturbed, each would take from minutes to years.
    with pytest.raises(KeyboardInterrupt):
        work()


def test_other_programs_play(root: Path) -> None:
    bot = f"cmd:{sys.executable} {root / 'bots' / 'random_bot.py'}"
    if not (root / "bots" / "random_bot.py").exists():
        pytest.skip("no bot in Python is there")
    told = ply.match("tictactoe", bot, "random", pairs=1, data=False)
    assert told.games == 2 and not told.faults
