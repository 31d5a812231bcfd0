"""A game of your own in Python: Notakto (Bob Koca, 2010). Both players place crosses; who completes three in a row loses."""

import plyground as ply

LINES = ["abc", "def", "ghi", "adg", "beh", "cfi", "aei", "ceg"]
SQUARES = dict(zip("abcdefghi", ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"]))


class Notakto(ply.Game):
    """A state is the letters of the crosses, and the player to move."""

    name = "notakto"
    pieces = {"x": None}
    most_moves = 9

    def start(self) -> tuple[str, int]:
        return "", 0

    def turn(self, state: tuple[str, int]) -> int | ply.Result:
        crosses, player = state
        if any(set(line) <= set(crosses) for line in LINES):
            # The other player has just completed a line.
            return ply.Result.win(player)
        return player

    def moves(self, state: tuple[str, int]) -> list[str]:
        return [square for letter, square in SQUARES.items() if letter not in state[0]]

    def play(self, state: tuple[str, int], move: str) -> tuple[str, int]:
        crosses, player = state
        letter = next(letter for letter, square in SQUARES.items() if square == move)
        return "".join(sorted(crosses + letter)), 1 - player

    def board(self, state: tuple[str, int]) -> list[str]:
        cells = "".join("x" if letter in state[0] else "." for letter in SQUARES)
        return [cells[0:3], cells[3:6], cells[6:9]]


if __name__ == "__main__":
    game = Notakto()
    ply.check(game)
    print(ply.solve(game))
    print(ply.match(game, "mcts:sims=200", "random", pairs=10, data=False))
    print(ply.balance(game, agents=["random", "mcts:sims=100"], games=20, data=False))
