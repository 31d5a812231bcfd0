"""Times OpenSpiel's random rollouts and its UCT search for `cargo xtask peers`.

Answers each line `WORK<tab>GAME<tab>SECONDS`, where WORK is `playouts` or the number of simulations of a search, with how many were
done in a second, and the line `version` with the version.

RandomRolloutEvaluator and MCTSBot are classes of the C++ library. The evaluator itself is not callable from Python, but the first
simulation of a search does nothing else than evaluate the start position: a search of one simulation with an evaluator of n
rollouts is n random games in C++, and one call from Python. A search of n simulations with one rollout each is one call as well.
"""

import importlib.metadata
import sys
import time

import pyspiel


def search(game, simulations, rollouts, seed):
    """A search from the start: its root, and the seconds that it takes."""
    state = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=rollouts, seed=seed)
    bot = pyspiel.MCTSBot(
        game,
        evaluator,
        uct_c=2**0.5,
        max_simulations=simulations,
        max_memory_mb=4_000,
        solve=False,
        seed=seed,
        verbose=False,
    )
    start = time.perf_counter()
    root = bot.mcts_search(state)
    return root, time.perf_counter() - start


def playouts(game, count, seed):
    """The seconds that `count` random games take."""
    root, seconds = search(game, 1, count, seed)
    # Anything else would mean that it did not do the work that is being timed.
    assert root.explore_count == 1 and not root.children, "expected a search of one simulation"
    return seconds


def playout_rate(game, seconds, seed):
    """Rollouts a second, measured over about the given time."""
    count, done, elapsed = 64, 0, 0.0
    while elapsed < seconds:
        elapsed += playouts(game, count, seed + done)
        done += count
        left = int((seconds - elapsed) * done / elapsed)
        count = max(64, min(2 * count, left))
    return done / elapsed


def simulation_rate(game, simulations, seconds, seed):
    """Simulations a second, measured over as many whole searches as begin in the given time."""
    done, elapsed = 0, 0.0
    while elapsed < seconds:
        root, taken = search(game, simulations, 1, seed + done)
        assert root.explore_count == simulations, "expected a search of all simulations"
        elapsed += taken
        done += simulations
    return done / elapsed


def main():
    for seed, line in enumerate(sys.stdin):
        if line.strip() == "version":
            print(importlib.metadata.version("open_spiel"), flush=True)
            continue
        work, name, seconds = line.rstrip("\n").split("\t")
        game, seconds, seed = pyspiel.load_game(name), float(seconds), seed * 1_000_003
        if work == "playouts":
            rate = playout_rate(game, seconds, seed)
        else:
            rate = simulation_rate(game, int(work), seconds, seed)
        print(rate, flush=True)


main()
