// The types of the app, for `cargo xtask test --only js`: the messages of the engine, of the lab and of the live page as docs/app.md
// describes them, and what the modules of the page share. Nothing here is loaded by a browser.

// ---- The engine: crates/api ----

export type PlayerWord = "first" | "second";
export type Result = PlayerWord | "draw";

/** A sentence of the engine: a key with arguments for translations, and the same in English. */
export interface Sentence {
    key: string;
    args: Record<string, string>;
    english: string;
}

/** An outcome of chance in words, and as a sign for the list of moves. */
export interface OutcomeText extends Sentence {
    sign: string;
}

export interface Phrase {
    key: string;
    english: string;
}

export interface Example {
    position: string;
    caption: string;
}

export interface Theme {
    first: [string, string];
    second: [string, string];
    board: [string, string] | null;
}

export type TourPart = "how" | "kinds" | "points";

export interface Presentation {
    boards: string[];
    keys: [string, string][];
    lessons: Example[];
    tour: Record<TourPart, string>;
    names: [string, string][];
    turned_for_second: boolean;
    top_edge: PlayerWord | null;
    ground: "chequered" | "tiles" | "lines" | "holes";
    /** What makes people try it. */
    pull: string;
    /** A finished game, which shows what is played for. */
    goal: Example | null;
    /** How pieces are drawn: the name of a piece, and the name of a shape. */
    shapes: [string, string][];
    theme: Theme | null;
}

/** What the live page knows about a game. */
export interface GameBrief {
    name: string;
    players: [string, string];
    presentation: Presentation;
}

/** An entry of the answer to `games`. */
export interface GameInfo extends GameBrief {
    title: string;
    aliases: string[];
    summary: string;
    rules: string;
    pieces: Piece[];
    notation: string;
    example: Example;
    samples: string[];
    keys: { key: string; value: string; default: string; meaning: string }[];
    phrases: Phrase[];
    formats: string[];
}

export interface Piece {
    letter: string;
    glyph: string;
    owner: PlayerWord | "neutral";
    name: string;
}

/** A piece as it is drawn: its letters are needed only where its name has no shape. */
export type DrawnPiece = Pick<Piece, "name" | "owner"> & Partial<Piece>;

export interface Counter {
    player: PlayerWord;
    label: string;
    value: number;
}

export interface BoardView {
    files: number;
    ranks: number;
    cells: (Piece | null)[];
    counters: Counter[];
}

export interface Squares {
    from: string | null;
    to: string | null;
    piece?: string | null;
}

/** A legal move, or a move of a line. */
export interface Move extends Squares {
    move: string;
    label: string;
}

/** A move of the history; an outcome of chance has no mover. */
export interface PlayedMove extends Partial<Squares> {
    move: string;
    label?: string;
    mover: PlayerWord | null;
    certain: boolean;
    outcome?: OutcomeText;
}

/** What a board needs of a state. */
export interface Shown {
    game: string;
    view: BoardView;
    last: Squares;
    moves: Move[];
    history: { mover: PlayerWord | null }[];
    /** The squares that decided the game. */
    won?: string[];
}

/** What every answer to `state` has. */
export interface AnyState extends Shown {
    position: string;
    points: [number, number] | null;
    outcomes: [string, number][];
    history: PlayedMove[];
}

/** The answer to `state`. */
export type State = AnyState &
    ({ turn: PlayerWord | "chance"; winner: null; reason: null } | { turn: "over"; winner: Result; reason: Sentence });

export interface Opponent {
    name: string;
    summary: string;
    /** The published work that it comes from. */
    work: string | null;
    spec: string;
}

export interface Candidate {
    move: string;
    visits: number;
    value: number | null;
}

/** What is told of a search while it goes on; the opinion only to callers that watch. */
export interface Progress {
    done: number;
    nodes?: number;
    value?: number | null;
    depth?: number | null;
    line?: Move[];
    candidates?: Candidate[];
}

/** The answer to `think`. */
export interface Advice {
    move: string;
    value: number | null;
    line: Move[];
    candidates: Candidate[];
    nodes: number;
    simulations: number;
    depth: number | null;
    seconds: number;
    notes: string[];
}

/** The answer to `solve`. */
export interface Solved {
    value: "win" | "draw" | "loss" | null;
    best: string | null;
    line: Move[];
    plies: number | null;
    plies_exact: boolean;
    nodes: number;
    seconds: number;
}

/** A game of the answer to `import`. */
export interface ImportedGame {
    game: string;
    start: string | null;
    moves: string[];
    players: [string, string];
    result: string | null;
}

/** The game of a request as far as it has come. */
export interface Position {
    game: string;
    start?: string | null;
    moves?: string[];
}

/** The fields of each request, beside `id` and `do`. */
export interface Fields {
    games: Record<string, never>;
    opponents: { game: string };
    state: Position;
    chance: Position & { seed: number };
    think: Position & { agent: string; seed?: number; time?: number; watch?: boolean };
    solve: Position & { time?: number };
    import: { text: string };
    export: Position & { format: string; players: [string, string] };
    qr: { text: string };
}

/** The answer to each request. */
export interface Answers {
    games: GameInfo[];
    opponents: Opponent[];
    state: State;
    chance: string;
    think: Advice;
    solve: Solved;
    import: ImportedGame[];
    export: string;
    qr: { size: number; path: string };
}

export type Task = keyof Fields;

export interface AskOptions {
    onProgress?: (progress: Progress) => void;
    signal?: AbortSignal;
}

/** A message of the engine: an answer, an error, or progress. */
export type Message = { id: number } & ({ answer: any } | { error: string; reason?: Sentence } | { progress: Progress });

/** A request that waits for its answer. */
export interface Request {
    id: number;
    text: string;
    onProgress?: (progress: Progress) => void;
    answer: Promise<any>;
    resolve: (answer: any) => void;
    reject: (error: Error) => void;
}

export interface Engine {
    kind: "server" | "browser";
    /** Is told when something waits for a connection that is lost, and when it is there again. */
    onlost?: (lost: boolean) => void;
    /** Does the server let this page use its lab? */
    lab?: boolean;
    /** The address of the server for other devices on the network, where this page came by another one. */
    reach?: string | null;
    ask<T extends Task>(task: T, fields: Fields[T], options?: AskOptions): Promise<Answers[T]>;
}

// ---- Games with friends: crates/serve/src/friend ----

/** What a game with a friend begins with. */
export interface FriendOrder {
    game: string;
    start?: string | null;
    side: PlayerWord | "random";
    clock: { seconds: number; increment: number } | null;
}

/** The game as the server has it. */
export interface FriendGame {
    /** The games before it at the same table. */
    number: number;
    spec: string;
    start: string | null;
    moves: string[];
    turn: PlayerWord | null;
    ended: "rules" | "resigned" | "late" | null;
    winner: Result | null;
    clock: { left: [number, number]; running: PlayerWord | null } | null;
    /** Who asks for a rematch. */
    again: { host: boolean; guest: boolean };
}

export interface FriendPerson {
    side: PlayerWord;
    here: boolean;
}

/** What is told after every change. */
export interface FriendState {
    /** Who the person here is; null for a spectator. */
    you: "host" | "guest" | null;
    host: FriendPerson;
    guest: FriendPerson;
    /** Has the guest come? */
    taken: boolean;
    watching: number;
    game: FriendGame;
}

/** A message of the server: the seat that was taken, a refusal, or how the game stands. */
export type FriendMessage = { table: string; key: string | null } | { error: string } | FriendState;

// ---- The page ----

/** What the screens share. */
export interface App {
    engine: Engine;
    games: GameInfo[];
    page: HTMLElement;
    go: (address: string) => void;
    /** Shows the same screen anew. */
    show: () => void;
    game: (name: string) => GameInfo | undefined;
}

/** A screen, with the parts of its address; it gives what is to be done when it is left. */
export type Screen = (app: App, parts: string[]) => Promise<(() => void) | null | void>;

/** What a position is worth. */
export interface Judgement {
    /** The first player's chance to win. */
    chance: number;
    /** What the solver says for the player to move. */
    solved: "win" | "draw" | "loss" | null;
    best: string | null;
    over?: boolean;
}

/** A position of a game as it was judged. */
export interface Judged extends Judgement {
    /** The player to move; none at the end and where chance is due. */
    mover: PlayerWord | null;
    bestMove?: Move | null;
    madeMove?: Move | null;
    /** The first player's chance after the best move, looked at as long as the position after the move that was made. */
    better?: number;
    /** By how much what chance did was better for the first player than could be expected. */
    luck?: number;
}

/** A move that was worse than another. */
export interface Mistake {
    ply: number;
    mover: PlayerWord;
    made: Move;
    best: Move;
    /** What is certain to have been given away. */
    gave: "win" | "draw" | null;
    /** By how much the chance to win is smaller. */
    cost: number;
    /** What the position is certain to be worth after it: 0 is a draw, -1 a loss. */
    left: number | null;
}

/** A game as it is kept on the device. */
export interface Game {
    id: string;
    /** When it began and when it was played on last, in milliseconds since 1970. */
    begun: number;
    changed: number;
    spec: string;
    start: string | null;
    moves: string[];
    players: Record<PlayerWord, string>;
    /** Who played, where a record or a link says so. */
    names: [string, string] | null;
    resigned: PlayerWord | null;
    /** The positions that were judged, by the number of moves played. */
    judged: Record<number, Judged>;
    over: boolean;
    winner: Result | null;
    /** The table on a server where it is played with a friend. */
    friend?: string;
    /** Did the one who `resigned` run out of time? */
    late?: boolean;
}

/** What a game begins with. */
export type Beginning = Pick<Game, "spec"> & Partial<Game>;

/** A line of a file of puzzles: `ply puzzles`. */
export interface Puzzle {
    start: string;
    /** The moves to be found, with the opponent's replies between them. */
    line: string[];
    keeps: "win" | "draw";
    level: number;
}

/** What this device has done with puzzles. */
export interface PuzzleRecord {
    rating: number;
    /** How many puzzles the rating has counted. */
    rated: number;
    /** The numbers of puzzles, by their games. */
    solved: Record<string, number[]>;
    failed: Record<string, number[]>;
    /** The last day on which the puzzle of the day was solved, and how many days in a row by then. */
    day: number;
    streak: number;
}

export interface Arrow {
    from: string | null;
    to: string | null;
    weight: number;
    /** What the move places. */
    piece?: DrawnPiece | null;
}

/** What is drawn over a position. */
export interface Marks {
    heat?: Record<string, number>;
    arrows?: Arrow[];
}

export interface Words {
    [key: string]: string | string[];
}

/** What a language says about a game. */
export interface GameWords {
    title?: string;
    summary?: string;
    players?: string[];
    rules?: string[];
    keys?: Record<string, string>;
    names?: Record<string, string>;
    tour?: Partial<Record<TourPart, string>>;
    pull?: string;
    goal?: string;
    lessons?: string[];
    phrases?: Record<string, string>;
    opponents?: Record<string, string>;
}

export interface Language {
    name: string;
    words: Words;
    phrases?: Record<string, string>;
    works?: Record<string, string>;
    games?: Record<string, GameWords>;
}

export type Child = Node | string | number | null | undefined | false | Child[];
export type Attributes = Record<string, unknown>;

// ---- The lab ----

export type RunState = "running" | "stopping" | "unfinished" | "complete";

export interface Score {
    games: number;
    wins: number;
    draws: number;
    losses: number;
    score: number;
    score_low: number;
    score_high: number;
}

export interface Standing extends Score {
    agent: string;
    elo_words: string;
    ms: number | null;
}

export interface MatchLine extends Score {
    agents: [string, string];
}

export interface RunHead {
    run: string;
    game: string;
    agents: string[];
    state: RunState;
    unit: "pairs" | "games";
    pairs: number;
    done: number;
    command: string;
    games: number;
}

export interface RunLine extends RunHead {
    leader: Standing | null;
}

export interface RunPage extends RunHead {
    standings: Standing[];
    matches: MatchLine[];
    faults: { agent: string; fault: string; games: number }[];
    /** What is damaged in the store, and does not count. */
    damage?: string[];
    /** Results of other machines that do not count. */
    refused?: { results: number; senders: number; most: { worker: string; results: number; reason: string; banned: boolean }[] };
    first_won: number;
    drawn: number;
    second_won: number;
    plies: number | null;
    redundancy: number;
    played: number;
    seconds: number;
    trouble?: string | null;
}

/** A game of a run that is shown. */
export interface RunGame {
    game: string;
    agents: [string, string];
    opening: number;
    moves: string[];
    result?: Result | null;
    reason?: string;
    stopped?: boolean;
}

export interface FleetWorker {
    worker: string;
    machine: string;
    cores: number;
    speed: number;
    jobs: number;
    retries: number;
    failed: number;
    lessons: number;
}

export interface Fleet {
    queue: string | null;
    queued: number;
    workers: FleetWorker[];
}

export interface TrainingLine {
    training: string;
    game: string;
    channels: number;
    blocks: number;
    rounds: number;
    games: number;
    seconds: number;
}

export interface Measured {
    player: "search" | "alone";
    anchor: string;
    games: number;
    score: number;
    elo: [number, number];
}

export interface TrainingRound {
    round: number;
    seconds: number;
    taught: boolean;
    games: number;
    steps: number;
    window: number;
    age: number;
    reuse: number;
    policy_loss: number;
    value_loss: number;
    plies: number;
    first_score: number;
    redundancy: number;
    games_per_hour: number;
    judgements_per_second: number;
    network_share: number;
    steps_per_second: number;
    measured?: Measured[];
    agreement?: { solved: number; decided: number; winner_right: number; to_keep: number; kept: number };
}

export interface TrainingPlan {
    game: string;
    channels: number;
    blocks: number;
    anchors: string[];
    anchor_sims: number;
}

export interface TrainingPage {
    training: string;
    plan: TrainingPlan;
    rounds: TrainingRound[];
    of: number;
    quiet_seconds: number;
}

/** A point of a curve; an interval may be without end. */
export interface CurvePoint {
    x: number;
    y: number;
    low?: number;
    high?: number;
}

export interface Curve {
    name: string;
    colour: number;
    points: CurvePoint[];
}

// ---- The live page of a competition ----

export interface LiveGame {
    id: string;
    game: string;
    about: GameBrief;
    players: [string, string];
    view: BoardView;
    last: Squares;
    moves: string[];
    movers: (PlayerWord | null)[];
    points: [number, number] | null;
    turn: string;
    begun: number;
    since: number;
    used: [number, number];
    move_ms: number | null;
    game_ms: number | null;
    result: Result | null;
    reason: string;
}

export interface LiveMessage {
    who: string;
    heard: boolean;
    text: string;
}

export interface LivePage {
    title: string;
    over: boolean;
    columns: string[];
    rows: string[][];
    boards: LiveGame[];
    games: { players: [string, string]; result: Result; points: [number, number] | null; reason: string; plies: number }[];
    finished: number;
    wanted: number | null;
    messages: LiveMessage[];
    waiting: string[];
    dropped: Record<string, number>;
}
