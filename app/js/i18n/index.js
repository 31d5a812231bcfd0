// Words in the language of the page. Each language is one file, which is fetched when it is chosen; what is said about a game
// comes from the engine in English, and where a language has something for it, from its file.

import { recall, remember } from "../memory.js";
import en from "./en.js";

/**
 * @import { Counter, GameBrief, GameInfo, GameWords, Language, PlayedMove, PlayerWord, Sentence, TourPart } from "../types.js"
 * @import { Opponent } from "../types.js"
 */
/** @typedef {{ name: string, owner?: string }} NamedPiece */

/** The languages by their codes, each by its own name: `CODE.js` has the words. @type {Record<string, string>} */
export const LANGUAGES = {
  en: "English",
  cs: "Čeština",
  de: "Deutsch",
  el: "Ελληνικά",
  nl: "Nederlands",
  sv: "Svenska",
};
/** The first language of the device that there are words for. */
const ofDevice = () => (navigator.languages ?? []).map((tag) => tag.split("-")[0]).find((code) => code in LANGUAGES) ?? "en";

/** @returns {string} */
const chosen = () => {
  const code = recall("language", ofDevice());
  return code in LANGUAGES ? code : "en";
};

/** The language that is shown, and its words. */
let [shown, words] = ["en", /** @type {Language} */ (en)];

/** @returns {string} */
export const language = () => shown;

/** Fetches the words of the language that was chosen; where they cannot be had, the page speaks English. */
export async function loadLanguage() {
  const code = chosen();
  try {
    [shown, words] = [code, code === "en" ? en : (await import(`./${code}.js`)).default];
  } catch {
    [shown, words] = ["en", en];
  }
}

/** @param {string} code */
export function setLanguage(code) {
  remember("language", code);
  return loadLanguage();
}

const own = () => words;
/** @type {(game: GameBrief | null | undefined) => GameWords} */
const ofGame = (game) => own().games?.[game?.name ?? ""] ?? {};
/** @type {(key: string) => string | string[] | undefined} */
const word = (key) => own().words[key] ?? /** @type {Language} */ (en).words[key];
/** @typedef {Record<string, string | number | null | undefined>} Values */
/** @type {(text: string, values: Values) => string} */
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));

/**
 * A text with its gaps filled; empty where there is none.
 *
 * @param {string} key
 * @param {Values} [values]
 */
export function t(key, values = {}) {
  const text = word(key);
  return typeof text === "string" ? fill(text, values) : "";
}

/**
 * A number as one writes it here, with so many decimals at most.
 *
 * @param {number} number
 * @param {number} [decimals]
 */
export const formatNumber = (number, decimals = 0) => number.toLocaleString(language(), { maximumFractionDigits: decimals });

/** @param {number} index */
export const levelTitle = (index) => word("levels")?.[index] ?? "";
/** @param {GameInfo} game */
export const gameTitle = (game) => ofGame(game).title ?? game.title;
/** @param {GameInfo} game */
export const gameSummary = (game) => sentence(ofGame(game).summary ?? game.summary);
/** What makes people try a game. @param {GameInfo} game */
export const gamePull = (game) => ofGame(game).pull ?? game.presentation.pull;
/** A finished game, which shows what is played for; null where there is none. @param {GameInfo} game */
export const gameGoal = ({ name, presentation: { goal } }) =>
  goal && { ...goal, caption: own().games?.[name]?.goal ?? goal.caption };
/** Whom a level is for. @param {number} index */
export const levelAdvice = (index) => word("levels.for")?.[index] ?? "";
/** @type {(game: GameBrief, player: PlayerWord) => string} */
export const playerName = (game, player) => (ofGame(game).players ?? game.players)[player === "first" ? 0 : 1];
/** @param {GameInfo} game */
export const rules = (game) => ofGame(game).rules ?? game.rules.split("\n\n").map((part) => part.replaceAll("\n", " "));
/**
 * A part of the tour; empty where there is nothing to say.
 *
 * @param {GameInfo} game
 * @param {TourPart} part
 */
export const tourText = (game, part) => ofGame(game).tour?.[part] ?? game.presentation.tour[part];

/** Positions to learn from: what is hard to imagine first, then the example of the game. @param {GameInfo} game */
export function lessons(game) {
  const texts = ofGame(game).lessons ?? [];
  return [...game.presentation.lessons, game.example].map(({ position, caption }, index) => ({
    position,
    caption: texts[index] ?? caption,
  }));
}

/**
 * A parameter of a game in the name of a board; undefined where it has no words.
 *
 * @param {GameInfo} game
 * @param {string} key
 * @param {string} value
 */
export function keyText(game, key, value) {
  const text = ofGame(game).keys?.[key] ?? Object.fromEntries(game.presentation.keys)[key];
  return text === undefined ? undefined : fill(text, { value });
}

/**
 * What a piece or a counter of a game is called.
 *
 * @param {GameBrief | null | undefined} game
 * @param {string} name
 * @param {string} [owner]
 */
function nameOf(game, name, owner) {
  /** @type {Record<string, string>} */
  const names = { ...Object.fromEntries(game?.presentation?.names ?? []), ...ofGame(game).names };
  return names[`${owner} ${name}`] ?? names[name] ?? name;
}
/** @type {(game: GameBrief | null | undefined, piece: NamedPiece) => string} */
export const pieceName = (game, piece) => nameOf(game, piece.name, piece.owner);
/** @type {(game: GameBrief, counter: Counter) => string} */
export const counterName = (game, counter) => nameOf(game, counter.label, counter.player);
/**
 * A square with what stands on it.
 *
 * @param {GameBrief | null | undefined} game
 * @param {string} square
 * @param {NamedPiece | null} piece
 */
export const squareText = (game, square, piece) => `${square}, ${piece ? pieceName(game, piece) : t("empty")}`;

/** A text as a sentence; squares keep their small letters. @param {string} text */
export const sentence = (text) => `${text.replace(/^\p{Ll}(?!\d)/u, (letter) => letter.toUpperCase())}.`;

/** A level by its title, anything else as it is written. @param {string} spec */
export function agentName(spec) {
  const level = spec.match(/^level=(\d)$/);
  return level ? `${level[1]} · ${levelTitle(Number(level[1]) - 1)}` : spec;
}

/** The name of a published work: the engine's, where the language has no other. @param {string} work */
export const workName = (work) => own().works?.[work] ?? work;
/**
 * What an opponent is, in a few words; empty where the language has none for it.
 *
 * @param {GameInfo} game
 * @param {Opponent} opponent
 */
export const opponentSummary = (game, opponent) =>
  shown !== "en" ? (ofGame(game).opponents?.[opponent.name] ?? "") : opponent.summary;

/**
 * What the engine says about a game: a key with arguments, among them names of players and pieces, and the same in English.
 *
 * @param {GameBrief} game
 * @param {Sentence} sentence
 */
export function said(game, { key, args, english }) {
  const text = ofGame(game).phrases?.[key] ?? own().phrases?.[key];
  if (text === undefined) return english;
  /** @type {(value: string) => string} */
  const argument = (value) =>
    game.players.includes(value) ? playerName(game, game.players[0] === value ? "first" : "second") : nameOf(game, value);
  return fill(text, Object.fromEntries(Object.entries(args).map(([name, value]) => [name, argument(value)])));
}

/**
 * Why a move was refused, as a sentence.
 *
 * @param {GameBrief} game
 * @param {{ reason?: Sentence | null, message: string }} refused
 */
export const refusalText = (game, refused) => sentence(refused.reason ? said(game, refused.reason) : refused.message);

/**
 * An outcome of chance in words: a move of the history.
 *
 * @param {GameBrief} game
 * @param {PlayedMove} played
 */
export const outcomeText = (game, played) =>
  played.outcome ? sentence(said(game, played.outcome)) : (played.label ?? played.move);

/** An outcome of chance in a sign, for the list of moves. @param {PlayedMove} played */
export const outcomeSign = (played) => played.outcome?.sign ?? played.label ?? played.move;
