// Every word of the page, in English and in Czech.

import { recall, remember } from "./memory.js";

export const languages = { en: "English", cs: "Čeština" };

const WORDS = {
  en: {
    loading: "Setting up the table…",
    wentWrong: "Something went wrong.",
    connectionLost: "The connection to the server was lost.",
    noEngine: "The engine could not be started.",
    home: "Home",
    "home.title": "Play, and see why it moves",
    "home.lead": "Games of the lab. Pick one, pick an opponent from first day to as strong as we can, and ask it what it is thinking.",
    "home.unfinished": "{game}: a game is waiting for you (moves so far: {moves}).",
    "home.resume": "Go on",
    "home.import": "Open a record",
    "title.new": "New game",
    "title.play": "Game",
    "title.rules": "Rules",
    "engine.server": "engine: this computer",
    "engine.server.meaning": "The engine runs in the program that serves this page, at full speed.",
    "engine.browser": "engine: in the browser",
    "engine.browser.meaning": "The engine runs in this page, also without a network.",
    settings: "Settings",
    theme: "Colours",
    "theme.system": "as the device has them",
    "theme.light": "light",
    "theme.dark": "dark",
    "theme.contrast": "high contrast",
    language: "Language",
    sound: "Sounds",
    ok: "OK",
    close: "Close",
    play: "Play",
    rules: "Rules",
    unknownGame: "There is no game called “{name}”.",
    board: "Board",
    "board.usual": "the usual one",
    "key.crosphere.size": "{value}",
    "key.crosphere.strong": "{value} strong stones",
    "key.mnk.size": "{value}",
    "key.mnk.k": "{value} in a row",
    "key.clobber.size": "{value}",
    "key.pawn.size": "{value}",
    "key.pawn.double": "double step",
    "key.tuc-chess.appear": "no new bonuses",
    "key.connect-four.size": "{value}",
    opponent: "Opponent",
    levels: ["first day", "beginner", "casual", "club player", "strong club player", "expert", "master", "as strong as we can"],
    twoPeople: "Two people",
    "twoPeople.hint": "on this device",
    watch: "Watch",
    "watch.hint": "engine against engine",
    "watch.who": "Who plays",
    side: "Your side",
    "side.first": "moves first",
    "side.random": "at random",
    advanced: "Advanced",
    "advanced.agent": "Any agent",
    "advanced.preset": "Ready-made agents",
    "advanced.board": "Any board",
    start: "Start",
    boardOf: "Board of {game}",
    empty: "empty",
    possible: "possible",
    notMovable: "Nothing on {square} can move now.",
    stone: "Stone",
    moves: "Moves",
    human: "you",
    thinking: "Thinking",
    resigned: "{loser} resigns: {winner} wins.",
    drawn: "A draw: {reason}.",
    won: "{winner} wins: {reason}.",
    chanceDue: "Chance decides…",
    turn: "{name} to move.",
    yourTurn: "{name} to move: it is your turn.",
    theirTurn: "{name} is thinking.",
    stepped: "After {number} of {count} moves: {name} to move.",
    "spoken.move": "{name}: {move}.",
    "step.first": "To the start",
    "step.back": "One move back",
    "step.on": "One move on",
    "step.last": "To the last move",
    rematch: "Rematch, sides swapped",
    newGame: "New game",
    hint: "Hint",
    "hint.text": "{move}: {chance} % to win, {share} % of {games} simulated games begin with it.",
    takeBack: "Take back",
    analyse: "Analyse",
    flip: "Flip",
    share: "Share",
    resign: "Resign",
    "resign.sure": "Give this game up?",
    link: "Link to this game",
    format: "Format",
    record: "Record",
    copyLink: "Copy link",
    copied: "The link is on the clipboard.",
    import: "Import",
    noRecord: "There is no game in this text.",
    review: "Look at the whole game",
    line: "Best line: {line}",
    "column.move": "Move",
    "column.chance": "Win chance",
    "column.visits": "Visits",
    "solved.win": "Solved: {name} wins, moves left: {plies}.",
    "solved.draw": "Solved: a draw with best play.",
    "solved.win.open": "Solved: {name} wins.",
    "solved.loss.open": "Solved: {name} loses.",
    "solved.loss": "Solved: {name} loses, moves left: {plies}.",
    winChance: "{first} {share} %, {second} {other} %",
    graph: "The course of the game, turning points: {turns}",
    turningPoints: "Turning points after move {plies}.",
    luck: "Luck made {share} % of all swings.",
    again: "Again",
    playFromHere: "Play from here",
    "counter.strong stones left": "strong left",
    "counter.points": "points",
    "bonus.worth": "The bonus was worth a point.",
    "bonus.nothing": "The bonus was worth nothing.",
    "bonus.appears": "A bonus appears on {square}.",
    "bonus.none": "No new bonus.",
    tour: "The first game",
    "tour.on": "Next",
    "tour.end": "Got it",
    "tour.skip": "Skip",
    "tour.again": "Show the tour of the first game again",
    "tour.how": "Tap a square to play there. Dots show where you can.",
    "tour.how.crosphere": "Green links top and bottom, Pink left and right. Tap an empty square to place a stone: who completes a chain from edge to edge wins.",
    "tour.how.mnk": "Tap an empty square to put your sign there. A full row, column or diagonal wins.",
    "tour.how.clobber": "Tap one of your stones, then a neighbouring stone of the opponent: it is clobbered. Who cannot move loses. You can also drag.",
    "tour.how.pawn": "Tap a pawn, then a dot: straight on to an empty square, slantwise to capture. Get a pawn through to win. You can also drag.",
    "tour.how.tuc-chess": "Tap a piece, then a dot: a step, a capture, or a bonus in the middle. You can also drag.",
    "tour.how.connect-four": "Tap a file: your disc falls to the lowest free square. Four in a row win.",
    "tour.kinds": "Strong stones are yours alone and few; weak ones serve both sides and never run out. Choose here which one you place.",
    "tour.points": "Points decide: 1 for a pawn, 3 for a rook, 8 for the king, and bonuses. What is left to chance is shown before play goes on.",
    "tour.help": "Not sure? Ask for a hint: it says which move, and why. Moves can be taken back.",
    "tour.analysis": "“Analyse” shows what the engine thinks: the chance to win, the best line, and how much it looked at each move.",
    "tour.moves": "Step through the game here, and go back to where it turned. Enjoy it!",
  },
  cs: {
    loading: "Připravuji stůl…",
    wentWrong: "Něco se nepovedlo.",
    connectionLost: "Spojení se serverem se ztratilo.",
    noEngine: "Stroj se nepodařilo spustit.",
    home: "Domů",
    "home.title": "Hrajte a podívejte se, proč tak táhne",
    "home.lead": "Hry z laboratoře. Vyberte hru a soupeře od prvního dne až po nejsilnějšího, jakého umíme, a zeptejte se ho, co si myslí.",
    "home.unfinished": "{game}: čeká na vás rozehraná partie (tahů: {moves}).",
    "home.resume": "Pokračovat",
    "home.import": "Otevřít zápis",
    "title.new": "Nová hra",
    "title.play": "Hra",
    "title.rules": "Pravidla",
    "engine.server": "stroj: tento počítač",
    "engine.server.meaning": "Stroj běží v programu, který tuto stránku poskytuje, plnou rychlostí.",
    "engine.browser": "stroj: v prohlížeči",
    "engine.browser.meaning": "Stroj běží přímo na této stránce, i bez sítě.",
    settings: "Nastavení",
    theme: "Barvy",
    "theme.system": "podle zařízení",
    "theme.light": "světlé",
    "theme.dark": "tmavé",
    "theme.contrast": "vysoký kontrast",
    language: "Jazyk",
    sound: "Zvuky",
    ok: "OK",
    close: "Zavřít",
    play: "Hrát",
    rules: "Pravidla",
    unknownGame: "Hru „{name}“ neznám.",
    board: "Deska",
    "board.usual": "obvyklá",
    "key.crosphere.size": "{value}",
    "key.crosphere.strong": "silných kamenů: {value}",
    "key.mnk.size": "{value}",
    "key.mnk.k": "{value} v řadě",
    "key.clobber.size": "{value}",
    "key.pawn.size": "{value}",
    "key.pawn.double": "dvojkrok",
    "key.tuc-chess.appear": "bez nových bonusů",
    "key.connect-four.size": "{value}",
    opponent: "Soupeř",
    levels: ["první den", "začátečník", "příležitostný hráč", "klubový hráč", "silný klubový hráč", "expert", "mistr", "nejsilnější, jakého umíme"],
    twoPeople: "Dva lidé",
    "twoPeople.hint": "na tomto zařízení",
    watch: "Dívat se",
    "watch.hint": "stroj proti stroji",
    "watch.who": "Kdo hraje",
    side: "Vaše strana",
    "side.first": "začíná",
    "side.random": "náhodně",
    advanced: "Pro pokročilé",
    "advanced.agent": "Libovolný agent",
    "advanced.preset": "Hotoví agenti",
    "advanced.board": "Libovolná deska",
    start: "Začít",
    boardOf: "Deska hry {game}",
    empty: "prázdné",
    possible: "možný tah",
    notMovable: "Z pole {square} teď nelze táhnout.",
    stone: "Kámen",
    moves: "Tahy",
    human: "vy",
    thinking: "Přemýšlí",
    resigned: "{loser} se vzdává: vítězí {winner}.",
    drawn: "Remíza: {reason}.",
    won: "Vítězí {winner}: {reason}.",
    chanceDue: "Rozhoduje náhoda…",
    turn: "Na tahu {name}.",
    yourTurn: "Na tahu {name}: jste na řadě.",
    theirTurn: "{name} přemýšlí.",
    stepped: "Po {number}. z {count} tahů: na tahu {name}.",
    "spoken.move": "{name}: {move}.",
    "step.first": "Na začátek",
    "step.back": "O tah zpět",
    "step.on": "O tah dál",
    "step.last": "Na poslední tah",
    rematch: "Odveta s opačnými stranami",
    newGame: "Nová hra",
    hint: "Nápověda",
    "hint.text": "{move}: šance na výhru {chance} %, tímto tahem začíná {share} % z {games} simulovaných partií.",
    takeBack: "Vzít zpět",
    analyse: "Rozbor",
    flip: "Otočit",
    share: "Sdílet",
    resign: "Vzdát",
    "resign.sure": "Opravdu partii vzdát?",
    link: "Odkaz na partii",
    format: "Formát",
    record: "Zápis",
    copyLink: "Kopírovat odkaz",
    copied: "Odkaz je ve schránce.",
    import: "Načíst",
    noRecord: "V tomto textu žádná partie není.",
    review: "Projít celou partii",
    line: "Nejlepší pokračování: {line}",
    "column.move": "Tah",
    "column.chance": "Šance na výhru",
    "column.visits": "Návštěvy",
    "solved.win": "Vyřešeno: {name} vyhraje, zbývá tahů: {plies}.",
    "solved.draw": "Vyřešeno: při nejlepší hře remíza.",
    "solved.win.open": "Vyřešeno: {name} vyhraje.",
    "solved.loss.open": "Vyřešeno: {name} prohraje.",
    "solved.loss": "Vyřešeno: {name} prohraje, zbývá tahů: {plies}.",
    winChance: "{first} {share} %, {second} {other} %",
    graph: "Průběh partie, zvratů: {turns}",
    turningPoints: "Zvraty po tahu {plies}.",
    luck: "Náhoda způsobila {share} % všech výkyvů.",
    again: "Znovu",
    playFromHere: "Hrát odtud",
    "counter.strong stones left": "zbývá silných",
    "counter.points": "body",
    "bonus.worth": "Bonus měl cenu jednoho bodu.",
    "bonus.nothing": "Bonus neměl žádnou cenu.",
    "bonus.appears": "Nový bonus na poli {square}.",
    "bonus.none": "Žádný nový bonus.",
    tour: "První partie",
    "tour.on": "Dál",
    "tour.end": "Rozumím",
    "tour.skip": "Přeskočit",
    "tour.again": "Znovu ukázat průvodce první partií",
    "tour.how": "Klepněte na pole, kam chcete hrát. Tečky ukazují, kam můžete.",
    "tour.how.crosphere": "Zelený spojuje horní a dolní okraj, Růžový levý a pravý. Klepnutím na prázdné pole položíte kámen: kdo doplní řetěz od okraje k okraji, vyhrává.",
    "tour.how.mnk": "Klepnutím na prázdné pole na něj dáte svou značku. Vyhrává plná řada, sloupec nebo úhlopříčka.",
    "tour.how.clobber": "Klepněte na svůj kámen a pak na sousední kámen soupeře: ten z desky zmizí. Kdo nemůže táhnout, prohrál. Kámen můžete i přetáhnout.",
    "tour.how.pawn": "Klepněte na pěšce a pak na tečku: rovně na prázdné pole, šikmo s braním. Vyhrává, kdo projde na druhou stranu. Pěšce můžete i přetáhnout.",
    "tour.how.tuc-chess": "Klepněte na figuru a pak na tečku: krok, braní, nebo bonus uprostřed. Figuru můžete i přetáhnout.",
    "tour.how.connect-four": "Klepněte na sloupec: kotouč spadne na nejnižší volné pole. Vyhrávají čtyři v řadě.",
    "tour.kinds": "Silné kameny jsou jen vaše a je jich málo; slabé slouží oběma a nikdy nedojdou. Zde zvolíte, který položíte.",
    "tour.points": "Rozhodují body: 1 za pěšce, 3 za věž, 8 za krále, a bonusy. O čem rozhodne náhoda, uvidíte, než hra pokračuje.",
    "tour.help": "Nevíte si rady? Nápověda řekne, který tah a proč. Tahy lze vzít zpět.",
    "tour.analysis": "„Rozbor“ ukáže, co si stroj myslí: šanci na výhru, nejlepší pokračování a jak moc se na který tah díval.",
    "tour.moves": "Zde si partii projdete tah po tahu a vrátíte se tam, kde se obrátila. Příjemnou hru!",
  },
};

export const language = () => recall("language", navigator.language?.startsWith("cs") ? "cs" : "en");
export const setLanguage = (code) => remember("language", code);
const word = (key) => WORDS[language()]?.[key] ?? WORDS.en[key];

/** A text with its gaps filled; empty where there is none. */
export function t(key, values = {}) {
  const text = word(key);
  return typeof text === "string" ? text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "") : "";
}

export const levelTitle = (index) => word("levels")[index] ?? "";
export const gameTitle = (game) => GAMES[language()]?.[game.name]?.title ?? game.title;
export const gameSummary = (game) => sentence(GAMES[language()]?.[game.name]?.summary ?? game.summary);
export const playerName = (game, player) => (GAMES[language()]?.[game.name]?.players ?? game.players)[player === "first" ? 0 : 1];
export const rules = (game) => GAMES[language()]?.[game.name]?.rules ?? game.rules.split("\n\n").map((part) => part.replaceAll("\n", " "));

/** A text as a sentence; squares keep their small letters. */
const sentence = (text) => `${text.replace(/^\p{Ll}(?!\d)/u, (letter) => letter.toUpperCase())}.`;

/** A level by its title, anything else as it is written. */
export function agentName(spec) {
  const level = spec.match(/^level=(\d)$/);
  return level ? `${level[1]} · ${levelTitle(Number(level[1]) - 1)}` : spec;
}

const GAMES = {
  en: {},
  cs: {
    crosphere: {
      title: "Crosphere",
      summary: "spojte své dva okraje silnými kameny své barvy a slabými kameny, které slouží oběma",
      players: ["Zelený", "Růžový"],
      rules: [
        "Začíná Zelený. Zelený chce spojit horní okraj s dolním, Růžový levý okraj s pravým.",
        "Hráči střídavě pokládají po jednom kameni na prázdné pole: buď silný kámen své barvy, dokud nějaký mají, nebo slabý kámen. Slabé kameny nemají barvu, patří oběma a nikdy nedojdou. Kameny se nepohybují ani neodebírají.",
        "Řetěz je skupina kamenů spojených po řadách a sloupcích, ne úhlopříčně. Řetězy Zeleného tvoří zelené silné a slabé kameny, řetězy Růžového růžové silné a slabé kameny. Vyhrává ten, kdo má první řetěz od okraje k okraji, ať jeho kameny položil kdokoli: slabým kamenem, který doplní jen soupeřův řetěz, vyhrává soupeř.",
        "Slabý kámen, který by najednou doplnil řetězy obou hráčů, se položit nesmí. Kdo je na tahu a nemá žádný tah, končí partii remízou.",
        "Obvyklá je deska 8x8 a pět silných kamenů pro každého. Jen silný kámen soupeře zastaví: šetřete je na chvíli, kdy to bude bolet.",
      ],
    },
    mnk: {
      title: "Piškvorky a příbuzné hry",
      summary: "střídavě klaďte značky; k v řadě, sloupci nebo úhlopříčce vyhrává",
      players: ["Křížky", "Kolečka"],
      rules: [
        "Začínají křížky. Hráči střídavě kladou svou značku na prázdné pole. Vyhrává ten, kdo má první k nebo více značek v nepřerušené řadě, sloupci nebo úhlopříčce. Plná deska bez takové řady je remíza.",
        "Tic-Tac-Toe se hraje na desce 3x3 na tři v řadě: při nejlepší hře je to remíza. Gomoku se hraje na desce 15x15 na pět.",
      ],
    },
    clobber: {
      title: "Clobber",
      summary: "táhněte kamenem na sousední kámen soupeře; kdo nemůže táhnout, prohrál",
      players: ["Černý", "Bílý"],
      rules: [
        "Na začátku je deska plná, černé a bílé kameny se střídají jako pole šachovnice, černý na a1. Začíná Černý.",
        "Hráč na tahu vezme svůj kámen a posune ho o jedno pole nahoru, dolů, vlevo nebo vpravo na kámen soupeře, který tím z desky odstraní. Jiný tah není a vynechat se nesmí. Hra se brzy rozpadne na ostrůvky, které na sebe nedosáhnou.",
        "Kdo nemůže táhnout, prohrál; remíza není možná. Nechávejte si kameny, na které soupeř nedosáhne, a počítejte tahy, které na každém ostrůvku zbývají.",
      ],
    },
    pawn: {
      title: "Pěšcová hra",
      summary: "táhněte a berte jako šachoví pěšci; projděte, vezměte všechny, nebo nechte soupeře bez tahu",
      players: ["Bílý", "Černý"],
      rules: [
        "Bílý má pěšce na každém poli dolní řady a začíná, Černý na každém poli horní řady. Bílí pěšci táhnou nahoru, černí dolů.",
        "Na tahu pohněte jedním pěšcem: o pole rovně vpřed na prázdné pole, nebo o pole šikmo vpřed na soupeřova pěšce, kterého tím vezmete. Rovně se nebere, šikmo bez braní se nechodí, vynechat se nesmí.",
        "Vyhrává, kdo dovede pěšce na poslední řadu, vezme poslednímu soupeřovi pěšce, nebo když soupeř na tahu nemá žádný tah. Remíza není možná.",
        "Ve variantě s dvojkrokem stojí pěšci na druhé řadě a z ní, a jen z ní, smějí o dvě pole, jsou-li obě prázdná. Braní mimochodem není.",
      ],
    },
    "tuc-chess": {
      title: "TUC-Chess",
      summary: "pěšci, věže a králové sbírají body na desce 5x7; bonusy se objevují náhodou; vyhrává víc bodů",
      players: ["Bílý", "Černý"],
      rules: [
        "Deska má 5 sloupců a 7 řad. Každý má sedm pěšců, dvě věže a krále; na střední řadě leží pět bonusů. Začíná Bílý a táhne nahoru. Vynechat se nesmí.",
        "Pěšec jde o pole rovně vpřed, bere o pole šikmo vpřed. Pěšec na poslední řadě je hned odstraněn z desky, za bod. Věž táhne o jedno až tři pole po řadě nebo sloupci a nepřeskakuje. Král jde o jedno pole po řadě nebo sloupci. Šach ani mat nejsou: krále lze vzít.",
        "Body dostává, kdo táhl: 1 za pěšce, 3 za věž, 8 za krále, 1 za pěšce na poslední řadě a za bonus 1 s pravděpodobností 0,95. Poté se s pravděpodobností 0,2 objeví nový bonus na náhodném volném poli.",
        "Hra končí, když je vzat král, když zbydou jen králové, když hráč nemá tah, nebo po 200 tazích obou hráčů. Vyhrává víc bodů; kdo vzal krále, může i prohrát.",
      ],
    },
    "connect-four": {
      title: "Čtyři v řadě",
      summary: "vhazujte kotouče do sloupců; čtyři v řadě, sloupci nebo úhlopříčce vyhrávají",
      players: ["Žlutý", "Červený"],
      rules: [
        "Deska stojí svisle. Začíná Žlutý. Hráči střídavě vhazují svůj kotouč do sloupce, který není plný; spadne na nejnižší volné pole. Vyhrává ten, kdo má první čtyři nebo více v nepřerušené řadě, sloupci nebo úhlopříčce. Plná deska je remíza.",
        "Na obvyklé desce 7x6 vyhrává při nejlepší hře začínající, začne-li uprostřed (James D. Allen a Victor Allis, 1988).",
      ],
    },
  },
};

/** What the engine says about the end of a game or a refused move, in Czech; `$1` and so on are what stood in the parentheses. */
const REASONS = [
  [/Green has linked the top and the bottom edge/, "Zelený spojil horní a dolní okraj"],
  [/Pink has linked the left and the right edge/, "Růžový spojil levý a pravý okraj"],
  [/the board is full and nobody is linked/, "deska je plná a nikdo není spojen"],
  [/\w+ cannot move: no strong stones left.*/, "na tahu není možný tah: silné kameny došly a každý slabý by spojil oba"],
  [/\w+ cannot move/, "soupeř nemůže táhnout"],
  [/\w+ has (\d+) in a row/, "$1 v řadě"],
  [/the board is full/, "deska je plná"],
  [/\w+ has a pawn on the far rank/, "pěšec došel na poslední řadu"],
  [/\w+ has no pawn left/, "soupeři nezbyl žádný pěšec"],
  [/\w+ has no legal move/, "hráč na tahu nemá žádný tah"],
  [/\w+ has captured the king/, "král byl vzat"],
  [/only the kings are left/, "zbyli jen králové"],
  [/the limit of (\d+) plies is reached/, "dosaženo limitu $1 tahů obou hráčů"],
  [/; White (\d+), Black (\d+)$/, "; Bílý $1, Černý $2"],
  [/\w+'s own \w+ stands on (\w+)/, "na poli $1 stojí vlastní figura"],
  [/a weak stone on (\w+) would complete both players' chains at once/, "slabý kámen na $1 by doplnil řetězy obou hráčů najednou, a to se nesmí"],
  [/(\w+) has no strong stones left/, "silné kameny došly"],
  [/(\w+) is occupied, and a pawn captures diagonally only/, "pole $1 je obsazené a pěšec bere jen šikmo"],
  [/a pawn cannot capture straight ahead, and (\w+) is occupied/, "pole $1 je obsazené a pěšec rovně nebere"],
  [/(\w+) is occupied/, "pole $1 je obsazené"],
  [/(\w+) and (\w+) are not side by side or one above the other/, "pole $1 a $2 nesousedí stranou"],
  [/there is no stone on (\w+): every move clobbers one/, "na poli $1 není kámen: každý tah nějaký bere"],
  [/the stone on (\w+) has the same colour/, "kámen na poli $1 má stejnou barvu"],
  [/there is no (black|white) stone on (\w+)/, "na poli $2 není váš kámen"],
  [/the pawn on (\w+) is the opponent's/, "pěšec na poli $1 patří soupeři"],
  [/there is no pawn to capture on (\w+)/, "na poli $1 není pěšec, kterého by šlo vzít"],
  [/there is no (pawn|piece) on (\w+)/, "pole $2 je prázdné"],
  [/the pawn on (\w+) is your own/, "pěšec na poli $1 je váš"],
  [/a pawn steps one square; two only in the variant double/, "pěšec jde o jedno pole; o dvě jen ve variantě s dvojkrokem"],
  [/a pawn steps two squares only from the rank on which it started/, "o dvě pole jde pěšec jen z řady, na které začal"],
  [/both squares in front of the pawn must be empty for a double step/, "pro dvojkrok musí být obě pole před pěšcem prázdná"],
  [/a pawn moves forward only/, "pěšec jde jen vpřed"],
  [/a pawn steps one square forward or captures one square diagonally forward/, "pěšec jde o pole vpřed nebo bere o pole šikmo vpřed"],
  [/a pawn moves diagonally only to capture; no piece is on (\w+)/, "šikmo pěšec jen bere a na poli $1 nic není"],
  [/a pawn moves one square ahead/, "pěšec jde o jedno pole vpřed"],
  [/a piece or a bonus is in the way of the rook between (\w+) and (\w+)/, "mezi poli $1 a $2 věži něco stojí v cestě"],
  [/a rook moves one to three squares along a rank or file/, "věž jde o jedno až tři pole po řadě nebo sloupci"],
  [/a king moves one square along a rank or file/, "král jde o jedno pole po řadě nebo sloupci"],
  [/the (\w+) on (\w+) is not (\w+)'s/, "figura na poli $2 patří soupeři"],
  [/file (\w) is full/, "sloupec $1 je plný"],
];

/** Why a game ended or a move was refused, in the language of the page. */
export function reasonText(message) {
  const text = message.replace(/^illegal move '[^']*': /, "");
  if (language() !== "cs") return text;
  return REASONS.reduce((said, [pattern, czech]) => said.replace(pattern, czech), text);
}

/** Why a move was refused, as a sentence. */
export function refusalText(text) {
  return sentence(reasonText(text));
}

const PIECES = {
  cs: {
    cross: "křížek",
    nought: "kolečko",
    "black stone": "černý kámen",
    "white stone": "bílý kámen",
    "yellow disc": "žlutý kotouč",
    "red disc": "červený kotouč",
    "green strong": "zelený silný kámen",
    "pink strong": "růžový silný kámen",
    strong: "silný kámen",
    weak: "slabý kámen",
    "white pawn": "bílý pěšec",
    "black pawn": "černý pěšec",
    pawn: "pěšec",
    rook: "věž",
    king: "král",
    bonus: "bonus",
  },
  en: { "green strong": "green strong stone", "pink strong": "pink strong stone", weak: "weak stone" },
};

export function pieceName(piece) {
  const name = PIECES[language()]?.[piece.name] ?? piece.name;
  const sided = ["pawn", "rook", "king"].includes(piece.name) && piece.owner;
  if (!sided) return name;
  const colours = { en: { first: "white", second: "black" }, cs: { first: "bílý", second: "černý" } }[language()];
  return `${colours[piece.owner]} ${name}`;
}

/** The square of a bonus that appears. TUC-Chess counts rows from the top and columns from the left; the board is labelled like any other. */
function bonusSquare(outcome) {
  const [, row, column] = outcome.match(/^@(\d)(\d)$/) ?? [];
  return row && "abcde"[column] + (7 - row);
}

/** An outcome of chance in words. */
export function outcomeText(outcome) {
  if (outcome === "+1") return t("bonus.worth");
  if (outcome === "+0") return t("bonus.nothing");
  const square = bonusSquare(outcome);
  return square ? t("bonus.appears", { square }) : t("bonus.none");
}

/** An outcome of chance in a sign, for the list of moves. */
export const outcomeSign = (outcome) => (outcome === "@-" ? "–" : `★ ${bonusSquare(outcome) ?? outcome}`);

/** Positions to learn from: what is hard to imagine first, then the example of the game. */
export function lessons(game) {
  const texts = LESSONS[game.name]?.[language()] ?? LESSONS[game.name]?.en ?? [];
  const positions = [...(POSITIONS[game.name] ?? []), game.example.position];
  return positions.map((position, index) => ({ position, caption: texts[index] ?? game.example.caption }));
}

const POSITIONS = {
  crosphere: ["4/1G2/1o2/1G2 g 1 3", "4/ooo1/4/4 p 2 2", "1o2/o1oo/1o2/1o2 g 0 0"],
  mnk: ["xx1/1oo/3 x 3"],
  clobber: ["xo/ox x"],
  pawn: ["4/1P2/2p1/4 w"],
  "tuc-chess": ["2k2/5/5/1*3/1R3/5/2K2 w 0 0 10"],
  "connect-four": ["7/7/7/3x3/3x3/o1oxo2 x 4"],
};

/** One text for each of those positions; where there is none for the last one, the game has it. */
const LESSONS = {
  crosphere: {
    en: [
      "Green links top and bottom. One more stone in file b, weak or strong, completes the chain: place it.",
      "Weak stones belong to both. Three of them lead Pink from the left edge towards the right: complete the chain.",
      "A weak stone on b3 would complete both chains at once. That is not allowed: try it.",
    ],
    cs: [
      "Zelený spojuje horní okraj s dolním. Ještě jeden kámen ve sloupci b, slabý nebo silný, a řetěz je hotov: položte ho.",
      "Slabé kameny patří oběma. Tři z nich vedou Růžového od levého okraje k pravému: doplňte řetěz.",
      "Slabý kámen na b3 by doplnil řetězy obou najednou. To se nesmí: zkuste to.",
      "Růžový na tahu vyhraje slabým kamenem na e5. Na d4 by doplnil oba řetězy najednou: to je zakázáno.",
    ],
  },
  mnk: {
    en: ["Two crosses stand side by side: complete the row."],
    cs: ["Dva křížky stojí vedle sebe: doplňte řadu.", "Na tahu jsou kolečka. Dostanou-li křížky c1, vyhrává b1 i c3 a kolečka zastaví jen jedno z nich."],
  },
  clobber: {
    en: ["A stone moves only onto a neighbouring stone of the opponent. Take a black one and clobber."],
    cs: [
      "Kámen táhne jen na sousední kámen soupeře. Vezměte černý a udeřte.",
      "Dva ostrůvky. Černý vyhraje tahem a3b3: poslední tah Bílého c1b1 mu ještě nechá a1b1. Po b1c1 vezme Bílý dvojici tahem b3a3 a Černý nemůže táhnout.",
    ],
  },
  pawn: {
    en: ["White is one step from the far rank: go through."],
    cs: ["Bílému chybí k poslední řadě jediný krok: projděte.", "Bílý musí vzít na c2: pěšcem z b1 vyhraje, pěšcem z d1 prohraje."],
  },
  "tuc-chess": {
    en: ["The rook can take the bonus above it. Chance says whether it is worth a point."],
    cs: ["Věž může vzít bonus nad sebou. Má-li cenu bodu, řekne náhoda.", "Bílý může tahem c6c7 vzít krále. Hra by tím skončila 12 : 13 a on by prohrál."],
  },
  "connect-four": {
    en: ["Three yellow discs stand in file d: drop the fourth."],
    cs: ["Ve sloupci d stojí tři žluté kotouče: vhoďte čtvrtý.", "Červený musí hned do b nebo e, jinak bude mít Žlutý tři v řadě s oběma konci volnými."],
  },
};
