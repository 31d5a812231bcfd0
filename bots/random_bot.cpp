// A bot for every game of Plyground: it plays random legal moves, and speaks UGI (docs/engines.md).
//
//     g++ -O2 -std=c++20 bots/random_bot.cpp -o random_bot
//     ply match clobber cmd:./random_bot level=1 --pairs 10
//
// Make it better: choose() is the only function that has to change. Nothing but answers may be printed to std::cout; std::cerr is kept
// in a file and shown when the bot crashes.

#include <algorithm>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using Words = std::vector<std::string>;

std::mt19937_64 generator;
std::string game;  // with its parameters, e.g. clobber:size=5x6

// The move to play. position is where the game began, "startpos" or a position as text; moves were played since then; legal are the
// moves that may be played now.
std::string choose(const std::string& position, const Words& moves, const Words& legal) {
    (void)position;
    (void)moves;
    return legal[generator() % legal.size()];
}

void say(const std::string& line) { std::cout << line << std::endl; }

int main() {
    std::string line, position = "startpos";
    Words moves;
    while (std::getline(std::cin, line)) {
        std::istringstream input(line);
        Words words;
        for (std::string word; input >> word;) words.push_back(word);
        if (words.empty()) continue;
        auto behind = [&](const std::string& word) {
            auto found = std::find(words.begin(), words.end(), word);
            return found == words.end() ? Words{} : Words(found + 1, words.end());
        };
        if (words[0] == "ugi") {
            say("id name Random in C++");
            say("id author your name");
            say("option name Game type string default any");
            say("option name Seed type spin default 0 min 0 max 2147483647");
            // An engine with this option gets the legal moves with every position, behind "searchmoves".
            say("option name LegalMoves type check default false");
            say("ugiok");
        } else if (words[0] == "isready") {
            say("readyok");
        } else if (words[0] == "setoption" && words.size() > 4) {  // setoption name NAME value VALUE
            if (words[2] == "Game") game = words[4];
            if (words[2] == "Seed") generator.seed(std::stoull(words[4]));
        } else if (words[0] == "position" && words.size() > 1) {  // position startpos|fen POSITION [moves MOVE MOVE ...]
            auto end = std::find(words.begin(), words.end(), "moves");
            position.clear();
            for (auto word = words.begin() + (words[1] == "fen" ? 2 : 1); word != end; ++word) {
                position += (position.empty() ? "" : " ") + *word;
            }
            moves = behind("moves");
        } else if (words[0] == "go") {  // go movetime 1000 searchmoves MOVE MOVE ...
            Words legal = behind("searchmoves");
            say("bestmove " + (legal.empty() ? "none" : choose(position, moves, legal)));
        } else if (words[0] == "quit") {
            break;
        }
    }
}
