"""Plyground and OpenSpiel from Python, side by side in one run on one machine: `cargo xtask peers --python`.

Both play random games of the same rules, by the same loop where it is state by state; the rounds of both sides take turns, and the best of
each side counts. Prints a table, and exits with 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import venv

import numpy as np
import pyspiel

import plyground

GAMES = [
    ("tictactoe", "tic_tac_toe"),
    ("connect-four", "connect_four"),
    ("clobber:size=5x6", "clobber(rows=6,columns=5)"),
    ("clobber:size=8x8", "clobber(rows=8,columns=8)"),
]
BATCH = 1_024
ROUNDS = 5
SECONDS = 0.5

STATES_BAR, BATCH_BAR, CORES_BAR, IMPORT_BAR, MATCH_BAR = 1.5, 20.0, 1.6, 0.150, 60.0


def states(game, seconds):
    """Moves a second of random games, state by state."""
    numbers = random.Random(1).random
    done, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        for _ in range(10):
            state = game.new_initial_state()
            while not state.is_terminal():
                actions = state.legal_actions()
                state.apply_action(actions[int(numbers() * len(actions))])
                done += 1
    return done / (time.perf_counter() - begin)


def loop(game, seconds):
    """The same with the planes and the mask of every state, as a training wants them."""
    numbers = random.Random(1).random
    planes = np.zeros(game.observation_tensor_size(), np.float32)
    masks = np.zeros(game.num_distinct_actions(), np.bool_)
    done, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            planes[:] = state.observation_tensor()
            masks[:] = state.legal_actions_mask()
            state.apply_action(actions[int(numbers() * len(actions))])
            done += 1
    return done / (time.perf_counter() - begin)


def batches(game, seconds, threads):
    """Moves a second in a batch, with planes and masks."""
    vector = plyground.vector(game, BATCH, threads=threads, autoreset="same_step")
    vector.reset()
    done, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        for _ in range(8):
            vector.step(vector.random_actions())
        done += 8 * BATCH
    return done / (time.perf_counter() - begin)


def best(*sides):
    """The best round of each side; the sides take turns."""
    found = [0.0] * len(sides)
    for _ in range(ROUNDS):
        for place, side in enumerate(sides):
            found[place] = max(found[place], side())
    return found


def import_time():
    """Seconds that `import plyground` takes, beyond an empty program."""

    def run(code):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - begin

    run("import plyground")
    with_it, without = (min(run(code) for _ in range(10)) for code in ("import plyground", "pass"))
    return with_it - without


def first_match(wheel):
    """Seconds from nothing to a match with an interval."""
    code = "import plyground as ply; print(ply.match('connect-four', 'level=2', lambda s: s.legal_actions()[0], pairs=20, data=False))"
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        venv.create(folder, with_pip=True)
        python = os.path.join(folder, "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel], check=True)
        subprocess.run([python, "-c", code], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--wheel", required=True)
    options = parser.parse_args()
    rows = []

    def row(what, game, ours, theirs, bar, ratio=None):
        ratio = ours / theirs if ratio is None else ratio
        rows.append({"what": what, "game": game, "ours": ours, "theirs": theirs, "ratio": ratio, "bar": bar})

    for name, spiel in GAMES:
        ours, theirs = plyground.load_game(name), pyspiel.load_game(spiel)
        row("states", name, *best(lambda: states(ours, SECONDS), lambda: states(theirs, SECONDS)), STATES_BAR)
    for name, spiel in GAMES:
        ours, theirs = plyground.load_game(name), pyspiel.load_game(spiel)
        one, two, other = best(
            lambda: batches(ours, SECONDS, 1), lambda: batches(ours, SECONDS, 2), lambda: loop(theirs, SECONDS)
        )
        row("batch, one core", name, one, other, BATCH_BAR)
        row("batch, two cores by one", name, two, one, CORES_BAR)
    missed = [row for row in rows if row["ratio"] < row["bar"]]
    times = [("import plyground", import_time(), IMPORT_BAR), ("from an empty venv to a match", first_match(options.wheel), MATCH_BAR)]
    missed += [time for time in times if time[1] > time[2]]
    if options.json:
        page = {"rows": rows, "seconds": {what: {"seconds": found, "bar": bar} for what, found, bar in times}}
        print(json.dumps(page))
    else:
        version = importlib.metadata.version("open_spiel")
        print(f"moves a second from Python, beside OpenSpiel {version} (or one core)\n")
        print(f"{'what':26}{'game':20}{'ours':>14}{'beside':>14}{'ratio':>9}{'bar':>7}")
        for r in rows:
            verdict = "passed" if r["ratio"] >= r["bar"] else "MISSED"
            print(f"{r['what']:26}{r['game']:20}{r['ours']:14,.0f}{r['theirs']:14,.0f}{r['ratio']:9.2f}{r['bar']:7.1f}  {verdict}")
        for what, found, bar in times:
            print(f"{what}: {found:.3f} s, at most {bar:.3f} s: {'passed' if found <= bar else 'MISSED'}")
    sys.exit(1 if missed else 0)


main()
