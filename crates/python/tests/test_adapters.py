"""The adapters, held to the checks of those for whom they are."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import plyground as ply


def test_open_spiel_plays_our_games() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    import plyground.open_spiel as adapter

    names = adapter.register()
    assert adapter.register() == names and "ply_crosphere" in names
    for name, parameters in (("ply_crosphere", "size=4x4,strong=2"), ("ply_connect_four", ""), ("ply_tuc_chess", "limit=20")):
        game = pyspiel.load_game(name, {"parameters": parameters})
        # OpenSpiel's own check of the rules of a game.
        pyspiel.random_sim_test(game, num_sims=3, serialize=False, verbose=False)
        state = game.new_initial_state()
        assert state.legal_actions() == state.ply.legal_actions() and state.clone().history() == []


def test_algorithms_of_open_spiel_run_unchanged() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    mcts = pytest.importorskip("open_spiel.python.algorithms.mcts")
    minimax = pytest.importorskip("open_spiel.python.algorithms.minimax")
    import plyground.open_spiel as adapter

    adapter.register()
    crosphere = pyspiel.load_game("ply_crosphere", {"parameters": "size=2x2,strong=1"})
    value, action = minimax.alpha_beta_search(crosphere)
    ours = ply.solve("crosphere:size=2x2,strong=1").value
    assert {1.0: "win", 0.0: "draw", -1.0: "loss"}[value] == ours and action is not None

    def bot(game: Any, player: int) -> Any:
        numbers = np.random.RandomState(player)
        return mcts.MCTSBot(game, 2, 20, mcts.RandomRolloutEvaluator(1, numbers), random_state=numbers, solve=False)

    # A bot of OpenSpiel in a match of ours.
    game = "crosphere:size=3x3,strong=1"
    told = ply.match(game, adapter.agent(bot, game), "random", pairs=2, data=False, threads=1)
    assert told.games == 4 and not told.faults


def test_pettingzoo_accepts_the_environment() -> None:
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import api_test, seed_test

    import plyground.pettingzoo as adapter

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for game in ("tictactoe", "clobber:size=4x4", "tuc-chess:limit=20"):
            api_test(adapter.env(game), num_cycles=100, verbose_progress=False)
        seed_test(lambda: adapter.env("tuc-chess:limit=20"), num_cycles=50)
    env = adapter.env("tictactoe", render_mode="ansi")
    env.reset(seed=1)
    assert "┌" in env.render()


def test_gymnasium_accepts_the_environments() -> None:
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    import plyground.gymnasium as adapter

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(adapter.Env("connect-four", "mcts:sims=5", illegal="lose"), skip_render_check=True)
    env = adapter.Env("tictactoe", "alphabeta:depth=9", seat=0)
    returns = []
    for seed in range(5):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            action = np.flatnonzero(info["action_mask"])[0]
            _, reward, over, _, info = env.step(action)
        returns.append(reward)
    assert max(returns) <= 0, "perfect play is not beaten"
    with pytest.raises(ply.InputError):
        env.reset()
        for _ in range(2):
            env.step(env.game.num_distinct_actions() - 1)


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_the_vector_environment_keeps_to_gymnasium(autoreset: Any) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    import plyground.gymnasium as adapter

    envs = adapter.GameVectorEnv("connect-four", 16, autoreset=autoreset, threads=1)
    observations, infos = envs.reset(seed=3)
    assert envs.observation_space.contains(observations) and infos["action_mask"].shape == (16, 42)
    assert isinstance(envs, gymnasium.vector.VectorEnv)
    numbers, wins, ended = np.random.default_rng(1), 0, 0
    for _ in range(60):
        actions = np.array([numbers.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in infos["action_mask"]])
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        assert envs.observation_space.contains(observations) and not truncated.any()
        assert (rewards[~terminated] == 0).all() and (rewards >= 0).all(), "who moves last does not lose here"
        wins += int((rewards == 1).sum())
        ended += int(terminated.sum())
    assert wins > 10 and wins <= ended


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib
    import sys

    for module, needed in (("open_spiel", "pyspiel"), ("pettingzoo", "pettingzoo"), ("gymnasium", "gymnasium")):
        monkeypatch.setitem(sys.modules, needed, None)
        monkeypatch.delitem(sys.modules, f"plyground.{module}", raising=False)
        with pytest.raises(ImportError, match=f"plyground.{module} needs .*: pip install {module}"):
            importlib.import_module(f"plyground.{module}")
        monkeypatch.undo()
