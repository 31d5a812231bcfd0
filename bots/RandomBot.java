import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Scanner;

/**
 * A bot for every game of Plyground: it plays random legal moves, and speaks UGI (docs/engines.md).
 *
 *     ply match clobber "cmd:java bots/RandomBot.java" level=1 --pairs 10
 *
 * Make it better: choose() is the only method that has to change. Nothing but answers may be printed to System.out; System.err is
 * kept in a file and shown when the bot crashes. Compiled (javac -d DIRECTORY, java -cp DIRECTORY RandomBot) it starts faster.
 */
public class RandomBot {
    static Random random = new Random();
    static String game = "";

    /**
     * The move to play. "game" is the game with its parameters, e.g. clobber:size=5x6; position is where the game began, "startpos"
     * or a position as text; moves were played since then; legal are the moves that may be played now.
     */
    static String choose(String position, List<String> moves, List<String> legal) {
        return legal.get(random.nextInt(legal.size()));
    }

    static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    public static void main(String[] arguments) {
        String position = "startpos";
        List<String> moves = List.of();
        Scanner input = new Scanner(System.in);
        while (input.hasNextLine()) {
            List<String> words = Arrays.asList(input.nextLine().trim().split("\\s+"));
            switch (words.get(0)) {
                case "ugi":
                    say("id name Random in Java");
                    say("id author your name");
                    say("option name Game type string default any");
                    say("option name Seed type spin default 0 min 0 max 2147483647");
                    // An engine with this option gets the legal moves with every position, behind "searchmoves".
                    say("option name LegalMoves type check default false");
                    say("ugiok");
                    break;
                case "isready":
                    say("readyok");
                    break;
                case "setoption": // setoption name NAME value VALUE
                    if (words.get(2).equals("Game")) game = words.get(4);
                    if (words.get(2).equals("Seed")) random = new Random(Long.parseLong(words.get(4)));
                    break;
                case "position": // position startpos|fen POSITION [moves MOVE MOVE ...]
                    int end = words.contains("moves") ? words.indexOf("moves") : words.size();
                    position = String.join(" ", words.subList(words.get(1).equals("fen") ? 2 : 1, end));
                    moves = words.subList(Math.min(end + 1, words.size()), words.size());
                    break;
                case "go": // go movetime 1000 searchmoves MOVE MOVE ...
                    int begin = words.contains("searchmoves") ? words.indexOf("searchmoves") + 1 : words.size();
                    List<String> legal = words.subList(begin, words.size());
                    say("bestmove " + (legal.isEmpty() ? "none" : choose(position, moves, legal)));
                    break;
                case "quit":
                    return;
                default:
            }
        }
    }
}
