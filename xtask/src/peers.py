"""Times OpenSpiel's random rollouts for `cargo xtask peers`.

Answers each line `GAME<tab>SECONDS` with a line of JSON, after a first line that names the version.

RandomRolloutEvaluator and MCTSBot are classes of the C++ library. The evaluator itself is not callable from Python, but the first
simulation of a search does nothing else than evaluate the start position: a search of one simulation with an evaluator of n
rollouts is n random games in C++, and one call from Python.
"""

import importlib.metadata
import json
import sys
import time

import pyspiel


def rollouts(game, count, seed):
    """The seconds that `count` random games take."""
    state = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=count, seed=seed)
    bot = pyspiel.MCTSBot(
        game,
        evaluator,
        uct_c=1.0,
        max_simulations=1,
        max_memory_mb=1,
        solve=False,
        seed=seed,
        verbose=False,
    )
    start = time.perf_counter()
    root = bot.mcts_search(state)
    seconds = time.perf_counter() - start
    # Anything else would mean that it did not do the work that is being timed.
    assert root.explore_count == 1 and not root.children, "expected a search of one simulation"
    return seconds


def rate(game, seconds, seed):
    """Rollouts a second, measured over about the given time."""
    count, done, elapsed = 64, 0, 0.0
    while elapsed < seconds:
        elapsed += rollouts(game, count, seed + done)
        done += count
        left = int((seconds - elapsed) * done / elapsed)
        count = max(64, min(2 * count, left))
    return done / elapsed


def main():
    print(json.dumps({"version": importlib.metadata.version("open_spiel")}), flush=True)
    for seed, line in enumerate(sys.stdin):
        name, seconds = line.rstrip("\n").split("\t")
        game = pyspiel.load_game(name)
        print(json.dumps({"rate": rate(game, float(seconds), seed * 1_000_003)}), flush=True)


main()
