"""Batches of games: in lockstep with single games, the same on any number of threads, without copies."""

from __future__ import annotations

import numpy as np
import pytest

import plyground as ply

GAMES = ["tictactoe", "clobber:size=5x6", "connect-four", "crosphere:size=5x5,strong=3", "breakthrough:size=5x5"]


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
def test_a_batch_is_as_many_single_games(spec: str, autoreset: ply.Autoreset) -> None:
    count = 70
    vector = ply.vector(spec, count, seed=3, threads=2, autoreset=autoreset)
    states = [vector.game.new_initial_state() for _ in range(count)]
    shown = vector.reset()
    ended = 0
    for _ in range(60):
        for number, state in enumerate(states):
            mask = shown.masks[number]
            assert np.flatnonzero(mask).tolist() == state.legal_actions()
            assert shown.players[number] == state.current_player()
            assert vector.position(number) == state.position
            assert (shown.planes[number] == state.observation_tensor()).all()
        actions = vector.random_actions().copy()
        shown = vector.step(actions)
        for number, state in enumerate(states):
            if state.is_terminal():
                assert autoreset == "next_step" and not shown.terminated[number] and not shown.rewards[number].any()
                states[number] = vector.game.new_initial_state()
                continue
            state.apply_action(int(actions[number]))
            assert shown.terminated[number] == state.is_terminal()
            assert shown.rewards[number].tolist() == state.returns()
            ended += state.is_terminal()
            if state.is_terminal() and autoreset == "same_step":
                states[number] = vector.game.new_initial_state()
        if autoreset == "disabled" and shown.terminated.any():
            mask = shown.terminated.copy()
            shown = vector.reset(mask=mask)
            for over in np.flatnonzero(mask):
                states[int(over)] = vector.game.new_initial_state()
    assert ended > 20


def test_chance_is_settled_and_the_same_seed_gives_the_same_games() -> None:
    def history(seed: int, threads: int) -> list[list[str]]:
        vector = ply.vector("tuc-chess:limit=30", 130, seed=seed, threads=threads)
        vector.reset()
        seen = []
        for _ in range(40):
            shown = vector.step(vector.random_actions())
            assert set(shown.players.tolist()) <= {0, 1, ply.TERMINAL}
            seen.append([vector.position(number) for number in range(len(vector))])
        return seen

    first = history(1, 1)
    assert history(1, 2) == first
    assert history(2, 1) != first
    vector = ply.vector("tuc-chess:limit=30", 4, seed=9)
    for _ in range(2):
        # A seed begins all again.
        vector.reset(seed=1)
        for _ in range(20):
            vector.step(vector.random_actions())
        positions = [vector.position(number) for number in range(4)]
    vector.reset(seed=1)
    for _ in range(20):
        vector.step(vector.random_actions())
    assert [vector.position(number) for number in range(4)] == positions


def test_arrays_of_the_caller_are_written_to() -> None:
    game = ply.load_game("tictactoe")
    planes = np.full((8, *game.observation_tensor_shape()), -1, np.float32)
    vector = ply.vector(game, 8, planes=planes)
    shown = vector.reset()
    assert shown.planes is planes and not (planes == -1).any()
    assert np.from_dlpack(shown.planes).ctypes.data == planes.ctypes.data
    for wrong in (np.zeros(3, np.float32), np.zeros((8, 2 * planes[0].size), np.float32)[:, ::2]):
        with pytest.raises(ply.InputError, match="planes"):
            ply.vector(game, 8, planes=wrong).reset()


def test_wrong_steps_are_refused_and_change_nothing() -> None:
    vector = ply.vector("tictactoe", 4, autoreset="disabled")
    shown = vector.reset()
    masks = shown.masks.copy()
    with pytest.raises(ply.InputError, match="game 2.*legal are 0 1 2"):
        vector.step(np.array([0, 1, 99, 2]))
    assert (vector._step.masks == masks).all() and vector.position(0).startswith("3/3/3")
    with pytest.raises(ply.InputError, match="for each of 4 games, found 3"):
        vector.step(np.zeros(3, np.int64))
    with pytest.raises(ply.InputError, match="expected 1 to"):
        ply.vector("tictactoe", 0)
    with pytest.raises(ply.InputError, match="one of next_step, same_step, disabled"):
        ply.vector("tictactoe", 1, autoreset="never").step(np.zeros(1, np.int64))  # type: ignore[arg-type]
    for _ in range(9):
        shown = vector.step(vector.random_actions()) if not shown.terminated.any() else shown
    assert shown.terminated.any()
    with pytest.raises(ply.InputError, match="it is over; expected a reset"):
        vector.step(vector.random_actions())
