"""Games and states: the words of OpenSpiel, held to what the rules say."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plyground as ply

GAMES = [
    "tictactoe",
    "connect-four:size=6x5",
    "clobber:size=5x6",
    "crosphere:size=5x5,strong=3",
    "pawn:size=6x6,double",
    "breakthrough:size=5x5",
    "tuc-chess:limit=30",
]


def walk(state: ply.State, numbers: random.Random, plies: int) -> ply.State:
    """Plays random actions, chance by its probabilities."""
    for _ in range(plies):
        if state.is_terminal():
            break
        if state.is_chance_node():
            outcomes, shares = zip(*state.chance_outcomes())
            state.apply_action(numbers.choices(outcomes, shares)[0])
        else:
            state.apply_action(numbers.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("spec", GAMES)
@settings(max_examples=12, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 2**32), plies=st.integers(0, 60))
def test_a_state_keeps_the_laws(spec: str, seed: int, plies: int) -> None:
    game = ply.load_game(spec)
    state = walk(game.new_initial_state(), random.Random(seed), plies)
    # Every way of writing it down gives it back.
    for again in (
        copy.copy(state),
        copy.deepcopy(state),
        state.clone(),
        pickle.loads(pickle.dumps(state)),
        game.deserialize_state(state.serialize()),
        game.state_after(state.moves()),
    ):
        assert again == state and hash(again) == hash(state)
        assert again.history() == state.history() and str(again) == str(state)
    actions = state.legal_actions()
    assert actions == sorted(set(actions))
    player = state.current_player()
    if state.is_terminal():
        assert player == ply.TERMINAL and actions == [] and sum(state.returns()) == 0 and state.why_over() != ""
        assert state.move_number() <= 2 * game.max_game_length() + state.move_number()
    elif state.is_chance_node():
        assert player == ply.CHANCE and [action for action, _ in state.chance_outcomes()] == actions
        assert sum(share for _, share in state.chance_outcomes()) == pytest.approx(1)
        assert len(actions) <= game.max_chance_outcomes()
    else:
        assert player in (0, 1) and state.returns() == [0, 0]
        mask = state.legal_actions_mask()
        assert mask.shape == (game.num_distinct_actions(),) and np.flatnonzero(mask).tolist() == actions
        assert state.legal_actions(1 - player) == [] and not state.legal_actions_mask(1 - player).any()
        tensor = state.observation_tensor()
        assert tensor.dtype == np.float32 and list(tensor.shape) == game.observation_tensor_shape()
        assert tensor.any() and np.isfinite(tensor).all()
    position, moves = state.position, state.moves()
    for action in actions:
        text = state.action_to_string(action)
        assert state.string_to_action(text) == action == state.string_to_action(player, text)
        child = state.child(action)
        assert child.moves() == [*moves, text] and child.full_history()[-1] == (player, action)
        child.undo_action(player, action)
        assert child == state
    assert state.position == position, "what was asked has changed nothing"
    # The position can be opened by its text.
    if not state.is_chance_node():
        assert ply.load_game(game.spec, position=position).new_initial_state().position == position


@pytest.mark.parametrize("spec", GAMES)
def test_no_game_is_longer_than_it_may_be(spec: str) -> None:
    game = ply.load_game(spec)
    for seed in range(20):
        state = walk(game.new_initial_state(), random.Random(seed), 10_000)
        moves = sum(player != ply.CHANCE for player, _ in state.full_history())
        assert state.is_terminal() and moves <= game.max_game_length()


def test_parameters_stand_in_the_spec_or_beside_it() -> None:
    for game in (
        ply.load_game("clobber:size=8x8"),
        ply.load_game("clobber", size="8x8"),
        ply.load_game("clobber", {"size": "8x8"}),
        ply.load_game("clobber", size="8x8", own=False),
    ):
        assert game.spec == "clobber:size=8x8" and game.num_distinct_actions() == 256
    assert ply.load_game("clobber:size=5x4", own=True).spec == "clobber:size=5x4,own"
    assert "crosphere" in ply.registered_names()


def test_errors_are_exceptions_with_our_sentences() -> None:
    with pytest.raises(ply.InputError, match="did you mean 'clobber'"):
        ply.load_game("clober")
    with pytest.raises(ValueError, match="unknown encoder 'x'.*one of mover, general"):
        ply.load_game("tictactoe", encoder="x")
    state = ply.load_game("tictactoe").new_initial_state()
    state.play("b2")
    with pytest.raises(ply.InputError, match="b2 is occupied"):
        state.play("b2")
    with pytest.raises(ply.InputError, match="malformed action '4': legal are 0 1 2 3 5"):
        state.apply_action(4)
    with pytest.raises(OverflowError):
        state.apply_action(-1)
    with pytest.raises(ply.InputError, match="the last action was 4 of player 0"):
        state.undo_action(1, 4)
    with pytest.raises(ply.InputError, match="expected a state of"):
        ply.load_game("clobber").deserialize_state(state.serialize())
    with pytest.raises(ply.InputError, match="expected player 0 or 1, found 2"):
        state.player_return(2)
    for move in ("a1", "a2", "c2", "a3", "c3"):
        state.play(move)
    state.play("c1")
    assert state.is_terminal()
    with pytest.raises(ply.InputError, match="the game is over"):
        state.apply_action(0)


def test_pictures_show_the_board() -> None:
    state = ply.load_game("tictactoe").new_initial_state()
    state.play("b2")
    assert "┌" in str(state) and "\x1b" not in str(state) and "is to move" in str(state)
    svg = state._repr_svg_()
    assert svg.startswith("<svg ") and svg.endswith("</svg>") and "M-26-26 26 26" in svg
    import xml.dom.minidom

    for spec in GAMES:
        state = walk(ply.load_game(spec).new_initial_state(), random.Random(1), 8)
        assert xml.dom.minidom.parseString(state._repr_svg_()).documentElement is not None


def test_points_and_chance_are_there_in_games_that_have_them() -> None:
    game = ply.load_game("tuc-chess")
    assert game.max_chance_outcomes() == 36
    state = walk(game.new_initial_state(), random.Random(3), 40)
    points = state.points()
    assert points is not None and len(points) == 2
    assert ply.load_game("clobber").new_initial_state().points() is None


def test_encoders_of_a_game_can_be_chosen() -> None:
    general = ply.load_game("connect-four", encoder="general")
    assert general.encoder == "general" and general.observation_planes()[-1] == "first player to move"
    state = general.new_initial_state()
    assert state.observation_tensor()[-1].all()
    assert ply.load_game("connect-four") != general


def test_no_reference_leaks() -> None:
    import gc
    import sys

    game = ply.load_game("tictactoe")

    def rounds(number: int) -> int:
        for _ in range(number):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(state.legal_actions()[0])
                state.legal_actions_mask()
                state.observation_tensor()
        gc.collect()
        return sys.getrefcount(game)

    before, objects = rounds(50), len(gc.get_objects())
    assert rounds(2_000) == before and abs(len(gc.get_objects()) - objects) < 50
