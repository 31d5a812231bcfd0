"""Batches: many games at once, a step for each of them in one call."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from plyground import _core
from plyground.games import AnyGame, load_game

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Autoreset = Literal["next_step", "same_step", "disabled"]


class Step(NamedTuple):
    """What a step shows: for each game its planes, its legal actions, the player to move (-4 when it is over), what both players got
    in this step, and whether it ended with it. The arrays are those of the vector, which the next step writes to."""

    planes: npt.NDArray[np.float32]
    masks: npt.NDArray[np.bool_]
    players: npt.NDArray[np.int8]
    rewards: npt.NDArray[np.float32]
    terminated: npt.NDArray[np.bool_]


class Vector:
    """So many games of one kind that go on at once. ``plyground.vector`` makes one.

    The arrays of the result are written to by every step. They are NumPy arrays, so that ``torch.from_dlpack`` and ``jax.dlpack`` see them
    without a copy; arrays of your own can be handed in, torch tensors on the CPU among them (``planes=tensor.numpy()``).
    """

    def __init__(
        self,
        game: AnyGame,
        games: int,
        *,
        seed: int = 0,
        threads: int | None = None,
        autoreset: Autoreset = "next_step",
        planes: npt.NDArray[np.float32] | None = None,
        masks: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        import numpy as np

        self.game = load_game(game)
        self.games = games
        self.autoreset: Autoreset = autoreset
        self.threads = threads or os.cpu_count() or 1
        if self.game.source is not None:
            # Rules in Python are asked one at a time.
            self.threads = 1
        self._batch = _core.Batch(self.game, games, seed, self.threads)
        shape, actions = self.game.observation_tensor_shape(), self.game.num_distinct_actions()
        self._step = Step(
            planes=np.zeros((games, *shape), np.float32) if planes is None else planes,
            masks=np.zeros((games, actions), np.bool_) if masks is None else masks,
            players=np.zeros(games, np.int8),
            rewards=np.zeros((games, 2), np.float32),
            terminated=np.zeros(games, np.bool_),
        )
        self._actions = np.zeros(games, np.int64)

    def __len__(self) -> int:
        return self.games

    def reset(self, *, seed: int | None = None, mask: npt.NDArray[np.bool_] | None = None) -> Step:
        """Begins all games anew, or those that are marked. With a seed the random numbers begin anew, too."""
        self._batch.reset(seed, mask, *self._step)
        return self._step

    def step(self, actions: npt.NDArray[np.integer[Any]]) -> Step:
        """Plays an action in each game. What chance does is done at once."""
        import numpy as np

        self._batch.step(np.ascontiguousarray(actions, np.int64), self.autoreset, *self._step)
        return self._step

    def random_actions(self) -> npt.NDArray[np.int64]:
        """A random legal action for each game, the same ones for the same seed; the array is used again."""
        self._batch.random_actions(self._actions)
        return self._actions

    def position(self, number: int) -> str:
        """The position of one of the games, in the notation of the game."""
        return self._batch.position(number)


def vector(
    game: AnyGame,
    games: int,
    *,
    seed: int = 0,
    threads: int | None = None,
    autoreset: Autoreset = "next_step",
    planes: npt.NDArray[np.float32] | None = None,
    masks: npt.NDArray[np.bool_] | None = None,
) -> Vector:
    """So many games at once: ``vector("clobber", 1024)``. The same seed gives the same games, on any number of threads.

    ``autoreset`` says when a game that is over begins again, as in gymnasium: in the step after its last one, whose action is ignored
    (``next_step``); in its last step (``same_step``); or when ``reset(mask=...)`` asks for it (``disabled``).
    """
    return Vector(game, games, seed=seed, threads=threads, autoreset=autoreset, planes=planes, masks=masks)
