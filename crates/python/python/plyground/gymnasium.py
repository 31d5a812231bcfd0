"""Plyground's games for gymnasium: one player against any opponent, and many games at once."""

from __future__ import annotations

from typing import Any, Literal

try:
    import gymnasium
    import numpy as np
    import numpy.typing as npt
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
except ImportError as error:
    raise ImportError("plyground.gymnasium needs gymnasium: pip install gymnasium") from error

from plyground import _core
from plyground.agents import AnyAgent, contender
from plyground.batches import Vector
from plyground.games import AnyGame, load_game

_MODES = {
    "next_step": AutoresetMode.NEXT_STEP,
    "same_step": AutoresetMode.SAME_STEP,
    "disabled": AutoresetMode.DISABLED,
}


class Env(gymnasium.Env[Any, Any]):
    """A game against an opponent: an agent by its spec, a function, or an object that chooses. Rewards are 1, 0 and -1, at the end.

    ``info["action_mask"]`` has the legal actions. An action that is not legal raises ``plyground.InputError``, or with
    ``illegal="lose"`` it loses the game.
    """

    metadata = {"render_modes": ["ansi", "human", "svg"]}

    def __init__(
        self,
        game: AnyGame,
        opponent: AnyAgent = "random",
        *,
        seat: Literal[0, 1, "random"] = "random",
        illegal: Literal["raise", "lose"] = "raise",
        render_mode: str | None = None,
    ) -> None:
        self.game = load_game(game)
        self.opponent = contender(opponent)
        self.seat = seat
        self.illegal = illegal
        self.render_mode = render_mode
        self.observation_space = spaces.Box(-np.inf, np.inf, tuple(self.game.observation_tensor_shape()), np.float32)
        self.action_space = spaces.Discrete(self.game.num_distinct_actions())
        self.state = self.game.new_initial_state()
        self.player = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        super().reset(seed=seed)
        spec, function = self.opponent
        if function is None:
            agent = _core.Agent(spec, int(self.np_random.integers(2**63)))
            function = agent.choose
        self._choose = function
        while True:
            self.state = self.game.new_initial_state()
            self.player = int(self.np_random.integers(2)) if self.seat == "random" else self.seat
            self._go_on()
            # A game that is over before the player has moved is no game.
            if not self.state.is_terminal():
                return self._observation(), self._info()

    def step(self, action: Any) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        try:
            self.state.apply_action(int(action))
        except _core.InputError:
            if self.illegal == "raise" or self.state.is_terminal():
                raise
            return self._observation(), -1.0, True, False, {**self._info(), "illegal": True}
        self._go_on()
        is_over = self.state.is_terminal()
        return self._observation(), self.state.returns()[self.player], is_over, False, self._info()

    def _go_on(self) -> None:
        """Chance and the opponent act, until it is the turn of the player."""
        state = self.state
        while not state.is_terminal() and state.current_player() != self.player:
            if state.is_chance_node():
                outcomes, shares = zip(*state.chance_outcomes())
                state.apply_action(int(self.np_random.choice(outcomes, p=shares)))
                continue
            said: Any = self._choose(state)
            answer = getattr(said, "action", said)
            if isinstance(answer, str):
                state.play(answer)
            else:
                state.apply_action(answer)

    def _observation(self) -> npt.NDArray[np.float32]:
        return self.state.observation_tensor()

    def _info(self) -> dict[str, Any]:
        mask = np.zeros(self.game.num_distinct_actions(), np.int8)
        if self.state.is_player_node():
            mask[:] = self.state.legal_actions_mask()
        return {"action_mask": mask}

    def render(self) -> Any:
        if self.render_mode == "svg":
            return self.state._repr_svg_()
        if self.render_mode == "human":
            print(self.state)
            return None
        return str(self.state)


class GameVectorEnv(VectorEnv[Any, Any, Any]):
    """Many games at once, in which one policy plays both sides. The reward of a step is that of the player who has just moved.

    ``infos["action_mask"]`` has the legal actions, ``infos["player"]`` the players to move, ``infos["rewards"]`` the rewards of both.
    Arrays are copies unless ``copy=False``: then every step writes to the same ones.
    """

    def __init__(
        self,
        game: AnyGame,
        num_envs: int,
        *,
        autoreset: Literal["next_step", "same_step", "disabled"] = "next_step",
        threads: int | None = None,
        copy: bool = True,
    ) -> None:
        self.vector = Vector(game, num_envs, autoreset=autoreset, threads=threads)
        self.num_envs = num_envs
        self.copy = copy
        self.metadata = {"autoreset_mode": _MODES[autoreset]}
        loaded = self.vector.game
        shape, actions = tuple(loaded.observation_tensor_shape()), loaded.num_distinct_actions()
        self.single_observation_space = spaces.Box(-np.inf, np.inf, shape, np.float32)
        self.single_action_space = spaces.Discrete(actions)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self._shown = self.vector.reset()

    def reset(self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        if isinstance(seed, list):
            raise _core.InputError("expected one seed: the games of a vector have numbered seeds of it")
        mask = None if options is None else options.get("reset_mask")
        self._shown = self.vector.reset(seed=seed, mask=mask)
        return self._observations(), self._infos()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        movers = np.maximum(self._shown.players, 0)
        self._shown = self.vector.step(actions)
        rewards = self._shown.rewards[np.arange(self.num_envs), movers]
        terminated = self._shown.terminated.copy()
        return self._observations(), rewards, terminated, np.zeros(self.num_envs, np.bool_), self._infos()

    def _observations(self) -> Any:
        return self._shown.planes.copy() if self.copy else self._shown.planes

    def _infos(self) -> dict[str, Any]:
        shown = self._shown
        arrays = {"action_mask": shown.masks, "player": shown.players, "rewards": shown.rewards}
        return {name: array.copy() if self.copy else array for name, array in arrays.items()}
