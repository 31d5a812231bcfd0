"""Networks of your own: a search that asks them in batches, as an agent and for self-play."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from plyground import _core
from plyground.games import AnyGame, load_game

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: What judges positions: planes in (positions by planes by ranks by files), logits of all actions and the results that the players to move
#: expect (from -1 to 1) out. A ``torch.nn.Module`` is called with a tensor, and gives two.
Evaluator: TypeAlias = Callable[[Any], Any]


@dataclass(frozen=True)
class Looked:
    """A move that a search has looked at."""

    action: int
    move: str
    visits: int
    value: float
    prior: float


@dataclass(frozen=True)
class Found:
    """What a search led by a network has found."""

    action: int
    move: str
    value: float
    simulations: int
    candidates: list[Looked]


class NetworkAgent:
    """Tree search (PUCT) led by a network; see ``az``."""

    def __init__(self, evaluate: Evaluator, sims: int, batch: int, c: float, fpu: float, seed: int) -> None:
        if sims < 1 or batch < 1:
            raise _core.InputError(f"expected sims and batch of at least 1, found {sims} and {batch}")
        self.evaluate = evaluate
        self.sims = sims
        self.batch = batch
        self.c = c
        self.fpu = fpu
        self.seed = seed

    def choose(self, state: _core.State, /) -> Found:
        """The move that was visited most, with what the search thinks of all."""
        search = _core.Search(state, self.c, self.fpu, self.seed)
        while search.simulations < self.sims:
            _ask([search], self.evaluate, min(self.batch, self.sims - search.simulations))
        candidates = [
            Looked(action, state.action_to_string(action), visits, value, prior)
            for action, visits, value, prior in search.actions()
        ]
        candidates.sort(key=lambda looked: (-looked.visits, -looked.prior))
        best = candidates[0]
        return Found(best.action, best.move, search.value, search.simulations, candidates)


def az(
    evaluate: Evaluator, *, sims: int = 100, batch: int = 8, c: float = 1.25, fpu: float = 0.25, seed: int = 0
) -> NetworkAgent:
    """An agent: tree search led by your network, a callable or a ``torch.nn.Module``, which is asked about ``batch`` positions at once.

    ``ply.match("connect-four", ply.named("mine", ply.az(module).choose), "level=2")``
    """
    return NetworkAgent(evaluate, sims, batch, c, fpu, seed)


def _ask(searches: list[_core.Search], evaluate: Evaluator, each: int) -> None:
    """Has the next positions of all searches judged together."""
    import numpy as np

    rules = searches[0].game
    room = np.empty((len(searches) * each, *rules.observation_tensor_shape()), np.float32)
    counts, asked = [], 0
    for search in searches:
        found = search.gather(room[asked : asked + each], each)
        counts.append(found)
        asked += found
    if asked == 0:
        return
    logits, values = judged(evaluate, room[:asked])
    if logits.shape != (asked, rules.num_distinct_actions()) or values.shape != (asked,):
        expected = f"({asked}, {rules.num_distinct_actions()}) and ({asked},)"
        raise _core.InputError(f"expected logits and values of the shapes {expected}, found {logits.shape} and {values.shape}")
    begin = 0
    for search, count in zip(searches, counts):
        if count:
            search.feed(logits[begin : begin + count], values[begin : begin + count])
            begin += count


def judged(evaluate: Evaluator, planes: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The judgements of an evaluator as arrays: logits, and one value for each position."""
    import numpy as np

    torch = sys.modules.get("torch")
    if torch is not None and isinstance(evaluate, torch.nn.Module):
        device = next((parameter.device for parameter in evaluate.parameters()), "cpu")
        with torch.no_grad():
            said = evaluate(torch.from_numpy(planes).to(device))
        logits, values = (part.detach().cpu().numpy() for part in said)
    else:
        logits, values = evaluate(planes)
    return np.ascontiguousarray(logits, np.float32), np.ascontiguousarray(np.asarray(values, np.float32).reshape(len(planes)))


@dataclass(frozen=True)
class SelfPlay:
    """Positions of games that a network has played against itself, to learn from."""

    #: Positions by planes by ranks by files.
    planes: npt.NDArray[np.float32]
    #: The shares of the visits of all actions.
    policies: npt.NDArray[np.float32]
    #: The result of the game for the player to move.
    values: npt.NDArray[np.float32]
    games: int

    def __len__(self) -> int:
        return len(self.values)


def self_play(
    game: AnyGame,
    evaluate: Evaluator,
    *,
    games: int = 64,
    sims: int = 32,
    c: float = 1.25,
    noise: float = 0.25,
    concentration: float = 1.0,
    drawn_plies: int = 8,
    seed: int = 0,
) -> SelfPlay:
    """Games of a network against itself, all at once, so that it is asked about many positions together.

    The policy at the root is mixed with noise (``noise`` of it, from a Dirichlet distribution); the moves of the first ``drawn_plies`` are
    drawn by their visits, later ones are the most visited. The same seed and the same network give the same games.
    """
    import numpy as np

    loaded = load_game(game)
    numbers = np.random.default_rng(seed)
    states = [loaded.new_initial_state() for _ in range(games)]
    seen: list[list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], int]]] = [[] for _ in range(games)]
    while True:
        for state in states:
            while state.is_chance_node():
                outcomes, shares = zip(*state.chance_outcomes())
                state.apply_action(int(numbers.choice(outcomes, p=np.array(shares) / sum(shares))))
        going = [number for number, state in enumerate(states) if not state.is_terminal()]
        if not going:
            break
        searches = [_core.Search(states[number], c, 0.25, int(numbers.integers(2**63))) for number in going]
        _ask(searches, evaluate, 1)
        for search in searches:
            priors = np.array([prior for *_, prior in search.actions()])
            mixed = (1 - noise) * priors + noise * numbers.dirichlet(np.full(len(priors), concentration))
            search.set_priors(mixed.tolist())
        while True:
            waiting = [search for search in searches if search.simulations < sims]
            if not waiting:
                break
            _ask(waiting, evaluate, 1)
        for number, search in zip(going, searches):
            state = states[number]
            policy = np.zeros(loaded.num_distinct_actions(), np.float32)
            for action, visits, _, _ in search.actions():
                policy[action] = visits
            policy /= max(float(policy.sum()), 1.0)
            seen[number].append((state.observation_tensor(), policy, state.current_player()))
            if len(seen[number]) <= drawn_plies and policy.sum() > 0:
                share = policy.astype(np.float64)
                action = int(numbers.choice(len(policy), p=share / share.sum()))
            else:
                action = int(policy.argmax())
            state.apply_action(action)
    planes = [planes for of_game in seen for planes, _, _ in of_game]
    policies = [policy for of_game in seen for _, policy, _ in of_game]
    values = [state.returns()[player] for state, of_game in zip(states, seen) for _, _, player in of_game]
    return SelfPlay(np.stack(planes), np.stack(policies), np.array(values, np.float32), games)
