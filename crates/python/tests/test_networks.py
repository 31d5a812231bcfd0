"""Searches led by a network of your own, and its self-play."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import plyground as ply

Planes = npt.NDArray[np.float32]


class Uniform:
    """A network that knows nothing, and counts what it is asked."""

    def __init__(self, game: str) -> None:
        self.actions = ply.load_game(game).num_distinct_actions()
        self.batches: list[int] = []

    def __call__(self, planes: Planes) -> tuple[Planes, Planes]:
        self.batches.append(len(planes))
        return np.zeros((len(planes), self.actions), np.float32), np.zeros(len(planes), np.float32)


def test_a_search_finds_a_win_and_asks_in_batches() -> None:
    network = Uniform("connect-four")
    state = ply.load_game("connect-four", position="7/7/7/7/ooo4/xxx4 x 4").new_initial_state()
    found = ply.az(network, sims=200, batch=8).choose(state)
    assert found.move == "d" and found.value > 0.5 and found.simulations >= 200
    assert found.candidates[0].visits > 100 and max(network.batches) > 1
    assert sum(looked.visits for looked in found.candidates) == found.simulations - 1
    assert sum(looked.prior for looked in found.candidates) == pytest.approx(1, abs=1e-5)
    again = ply.az(Uniform("connect-four"), sims=200, batch=8).choose(state)
    assert again == found, "there is nothing random in it"


def test_values_are_those_of_the_player_to_move() -> None:
    """A network that sees stones as worth something leads both players to the same kind of move."""
    game = ply.load_game("breakthrough:size=4x4")

    def judge(planes: Planes) -> tuple[Planes, Planes]:
        lead = planes[:, 0].sum(axis=(1, 2)) - planes[:, 1].sum(axis=(1, 2))
        return np.zeros((len(planes), game.num_distinct_actions()), np.float32), np.tanh(lead)

    told = ply.match(game, ply.named("greedy", ply.az(judge, sims=60).choose), "random", pairs=8, data=False)
    assert told.score > 0.8 and not told.faults, told


def test_games_of_chance_are_searched() -> None:
    network = Uniform("tuc-chess:limit=20")
    state = ply.load_game("tuc-chess:limit=20").new_initial_state()
    found = ply.az(network, sims=100, batch=4).choose(state)
    assert found.action in state.legal_actions() and found.simulations >= 100


def test_wrong_networks_are_refused() -> None:
    state = ply.load_game("tictactoe").new_initial_state()

    def refused(answer: Any, sentence: str) -> None:
        with pytest.raises(ply.InputError, match=sentence):
            ply.az(lambda planes: answer).choose(state)

    refused((np.zeros((1, 5)), np.zeros(1)), "shapes \\(1, 9\\) and \\(1,\\), found \\(1, 5\\)")
    refused((np.full((1, 9), np.nan), np.zeros(1)), "finite")
    with pytest.raises(ply.InputError, match="at least 1"):
        ply.az(Uniform("tictactoe"), sims=0)
    search = ply._core.Search(state, 1.0, 0.0, 0)
    room = np.zeros((4, *state.get_game().observation_tensor_shape()), np.float32)
    assert search.gather(room, 4) == 1, "the root is asked once"
    with pytest.raises(ply.InputError, match="that were gathered before"):
        search.gather(room, 4)


def test_self_play_gives_what_is_learnt_from() -> None:
    network = Uniform("tictactoe")
    played = ply.self_play("tictactoe", network, games=8, sims=16, seed=1)
    assert played.games == 8 and len(played) == len(played.policies) == len(played.planes)
    assert played.policies.sum(axis=1) == pytest.approx(1)
    assert set(np.unique(played.values)) <= {-1.0, 0.0, 1.0}
    assert max(network.batches) == 8, "all games are asked about together"
    again = ply.self_play("tictactoe", Uniform("tictactoe"), games=8, sims=16, seed=1)
    assert (again.policies == played.policies).all() and (again.values == played.values).all()


def test_a_torch_module_is_an_agent() -> None:
    torch = pytest.importorskip("torch")

    class Module(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.policy = torch.nn.Linear(27, 9)
            self.value = torch.nn.Linear(27, 1)

        def forward(self, planes: Any) -> Any:
            flat = planes.flatten(1)
            return self.policy(flat), torch.tanh(self.value(flat)).squeeze(1)

    told = ply.match("tictactoe", ply.named("mine", ply.az(Module(), sims=20).choose), "random", pairs=2, data=False)
    assert told.games == 4 and not told.faults
