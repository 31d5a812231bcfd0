#!/usr/bin/env python3
"""A bot for every game of Plyground: it plays random legal moves, and speaks UGI (docs/engines.md).

    ply match clobber "cmd:python3 bots/random_bot.py" level=1 --pairs 10

Make it better: choose() is the only function that has to change. Nothing but answers may be printed; print(..., file=sys.stderr)
is kept in a file and shown when the bot crashes.
"""

import random
import sys


def choose(game, position, moves, legal):
    """The move to play.

    game      the game with its parameters, e.g. "clobber:size=5x6"
    position  where the game began: "startpos", or a position as text
    moves     what was played since then, e.g. ["a1a2", "b2b1"]
    legal     the moves that may be played now
    """
    return random.choice(legal)


def say(line):
    print(line, flush=True)


def main():
    game, position, moves = "", "startpos", []
    for line in sys.stdin:
        words = line.split()
        command = words[0] if words else ""
        if command == "ugi":
            say("id name Random in Python")
            say("id author your name")
            say("option name Game type string default any")
            say("option name Seed type spin default 0 min 0 max 2147483647")
            # An engine with this option gets the legal moves with every position, behind "searchmoves".
            say("option name LegalMoves type check default false")
            say("ugiok")
        elif command == "isready":
            say("readyok")
        elif command == "setoption":  # setoption name NAME value VALUE
            name, value = words[2], " ".join(words[4:])
            if name == "Game":
                game = value
            elif name == "Seed":
                random.seed(int(value))
        elif command == "position":  # position startpos|fen POSITION [moves MOVE MOVE ...]
            end = words.index("moves") if "moves" in words else len(words)
            position = " ".join(words[2 if words[1] == "fen" else 1 : end])
            moves = words[end + 1 :]
        elif command == "go":  # go movetime 1000 searchmoves MOVE MOVE ...
            legal = words[words.index("searchmoves") + 1 :] if "searchmoves" in words else []
            say("bestmove " + (choose(game, position, moves, legal) if legal else "none"))
        elif command == "quit":
            break


if __name__ == "__main__":
    main()
