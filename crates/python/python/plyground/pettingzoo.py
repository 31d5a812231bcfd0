"""Plyground's games for PettingZoo: ``env("connect-four")`` is an AEC environment with two agents and action masks."""

from __future__ import annotations

from typing import Any

try:
    import numpy as np
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError("plyground.pettingzoo needs PettingZoo: pip install pettingzoo") from error

from plyground.games import AnyGame, load_game


def env(game: AnyGame, *, render_mode: str | None = None) -> Any:
    """The environment with the wrappers that PettingZoo advises: they say what is wrong where it is used wrongly."""
    made: Any = raw_env(game, render_mode=render_mode)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(made))


class raw_env(AECEnv):  # type: ignore[misc]
    """The environment itself. Observations have the planes of the encoder (``observation``) and the legal actions (``action_mask``)."""

    metadata = {"render_modes": ["ansi", "human", "svg"], "name": "plyground_v0", "is_parallelizable": False}

    def __init__(self, game: AnyGame, *, render_mode: str | None = None) -> None:
        super().__init__()
        self.game = load_game(game)
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        self.agents: list[str] = []
        planes = spaces.Box(-np.inf, np.inf, tuple(self.game.observation_tensor_shape()), np.float32)
        actions = self.game.num_distinct_actions()
        mask = spaces.Box(0, 1, (actions,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": planes, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._numbers = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self._numbers, _ = seeding.np_random(seed)
        self.state_now = self.game.new_initial_state()
        self._settle()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._mover()

    def _settle(self) -> None:
        """Chance does what is due, by the random numbers of the environment."""
        state = self.state_now
        while state.is_chance_node():
            outcomes, shares = zip(*state.chance_outcomes())
            state.apply_action(int(self._numbers.choice(outcomes, p=shares)))

    def _mover(self) -> str:
        return self.possible_agents[max(self.state_now.current_player(), 0)]

    def observe(self, agent: str) -> dict[str, Any]:
        mask = np.zeros(self.game.num_distinct_actions(), np.int8)
        if self.agents and agent == self.agent_selection and self.state_now.is_player_node():
            mask[:] = self.state_now.legal_actions_mask()
        return {"observation": self.state_now.observation_tensor(), "action_mask": mask}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("expected an action; None is for agents whose game is over")
        self._cumulative_rewards[agent] = 0.0
        self.state_now.apply_action(int(action))
        self._settle()
        if self.state_now.is_terminal():
            self.rewards = dict(zip(self.possible_agents, self.state_now.returns()))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.possible_agents[1 - self.possible_agents.index(agent)]
        else:
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self.agent_selection = self._mover()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        if self.render_mode == "svg":
            return self.state_now._repr_svg_()
        if self.render_mode == "human":
            print(self.state_now)
            return None
        return str(self.state_now)

    def close(self) -> None:
        pass
