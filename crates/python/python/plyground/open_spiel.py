"""Plyground's games in OpenSpiel: after ``register()``, ``pyspiel.load_game("ply_crosphere")`` opens Crosphere, and OpenSpiel's own
algorithms run on it. And the other way round: bots of OpenSpiel as agents of matches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import pyspiel
except ImportError as error:
    raise ImportError("plyground.open_spiel needs OpenSpiel: pip install open_spiel") from error

from plyground import _core
from plyground.games import AnyGame, load_game, registered_names

_registered: set[str] = set()


def short_name(name: str) -> str:
    """What a game of the list is called in OpenSpiel."""
    return "ply_" + name.replace("-", "_")


def register() -> list[str]:
    """Makes every game of the list known to ``pyspiel.load_game``, once, and gives the names. The parameters of a game are one text:
    ``pyspiel.load_game("ply_clobber", {"parameters": "size=6x6"})``."""
    for name in registered_names():
        if name not in _registered:
            _register(name)
            _registered.add(name)
    return [short_name(name) for name in registered_names()]


def _register(name: str) -> None:
    usual = load_game(name)
    is_chancy = usual.max_chance_outcomes() > 0
    kind = pyspiel.GameType
    game_type = kind(
        short_name=short_name(name),
        long_name=usual.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if is_chancy else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"parameters": ""},
    )

    class SpielGame(_Game):
        def __init__(self, params: dict[str, Any] | None = None) -> None:
            given = dict(params or {})
            text = given.get("parameters", "")
            super().__init__(game_type, load_game(f"{name}:{text}" if text else name), given)

    pyspiel.register_game(game_type, SpielGame)


class _Game(pyspiel.Game):  # type: ignore[misc]
    """A game of ours as OpenSpiel sees it."""

    def __init__(self, game_type: Any, game: _core.Game, params: dict[str, Any]) -> None:
        self.ply = game
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_distinct_actions(),
            max_chance_outcomes=game.max_chance_outcomes(),
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=game.max_game_length(),
        )
        super().__init__(game_type, info, params)

    def new_initial_state(self, state: object = None) -> _State:
        if state is not None:
            raise _core.InputError("expected no state to begin with: states of Plyground are made of their moves")
        return _State(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        return _Observer(self.ply)

    def observation_tensor_shape(self) -> list[int]:
        return self.ply.observation_tensor_shape()


class _State(pyspiel.State):  # type: ignore[misc]
    """A state of ours as OpenSpiel sees it."""

    def __init__(self, game: _Game) -> None:
        super().__init__(game)
        self.ply = game.ply.new_initial_state()

    def current_player(self) -> int:
        return self.ply.current_player()

    def _legal_actions(self, player: int) -> list[int]:
        return self.ply.legal_actions(player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return self.ply.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        self.ply.apply_action(action)

    def undo_action(self, player: int, action: int) -> None:
        self.ply.undo_action(player, action)

    def _action_to_string(self, player: int, action: int) -> str:
        try:
            return self.ply.action_to_string(action)
        except _core.InputError:
            # OpenSpiel asks for actions that are not legal here, too.
            return f"action {action}"

    def is_terminal(self) -> bool:
        return self.ply.is_terminal()

    def returns(self) -> list[float]:
        return self.ply.returns()

    def information_state_string(self, player: int | None = None) -> str:
        return self.ply.information_state_string()

    def observation_string(self, player: int | None = None) -> str:
        return self.ply.observation_string()

    def observation_tensor(self, player: int | None = None) -> list[float]:
        flat: list[float] = self.ply.observation_tensor().ravel().tolist()
        return flat

    def __str__(self) -> str:
        return self.ply.position


class _Observer:
    """The planes of our encoder for OpenSpiel's observers."""

    def __init__(self, game: _core.Game) -> None:
        import numpy as np

        self.tensor = np.zeros(game.observation_tensor_size(), np.float32)
        self.dict = {"observation": self.tensor.reshape(game.observation_tensor_shape())}

    def set_from(self, state: _State, player: int) -> None:
        self.dict["observation"][:] = state.ply.observation_tensor()

    def string_from(self, state: _State, player: int) -> str:
        return state.ply.observation_string()


def spiel_state(state: _core.State) -> Any:
    """The state of a game of the list as OpenSpiel has it, with the same moves."""
    register()
    game = state.get_game()
    parameters = game.spec.partition(":")[2]
    if game.start is not None or game.source is not None:
        raise _core.InputError("expected a game of the list from its usual start: OpenSpiel knows no other")
    spiel = pyspiel.load_game(short_name(game.name), {"parameters": parameters}).new_initial_state()
    for action in state.history():
        spiel.apply_action(action)
    return spiel


def agent(make: Callable[[Any, int], Any], game: AnyGame) -> Callable[[_core.State], int]:
    """A bot of OpenSpiel as an agent: ``make(game, player)`` makes it for a game of OpenSpiel and a player, and its ``step`` is asked.

    ``ply.match("clobber", agent(lambda game, player: MCTSBot(game, ...), "clobber"), "random")``
    """
    register()
    loaded = load_game(game)
    spiel = pyspiel.load_game(short_name(loaded.name), {"parameters": loaded.spec.partition(":")[2]})
    bots = [make(spiel, player) for player in (0, 1)]

    def choose(state: _core.State) -> int:
        return int(bots[state.current_player()].step(spiel_state(state)))

    choose.__name__ = getattr(make, "__name__", "bot").strip("<>")
    return choose
