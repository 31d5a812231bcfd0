// Words in the language of the page. Each language is one file; what is said about a game comes from the engine in English, and
// where a language has something for it, from its file.

import { recall, remember } from "../memory.js";
import cs from "./cs.js";
import en from "./en.js";

export const LANGUAGES = { en, cs };

export const language = () => recall("language", navigator.language?.startsWith("cs") ? "cs" : "en");
export const setLanguage = (code) => remember("language", code);

const own = () => LANGUAGES[language()] ?? en;
const ofGame = (game) => own().games?.[game?.name] ?? {};
const word = (key) => own().words[key] ?? en.words[key];
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

/** A text with its gaps filled; empty where there is none. */
export function t(key, values = {}) {
  const text = word(key);
  return typeof text === "string" ? fill(text, values) : "";
}

/** A number as one writes it here, with so many decimals at most. */
export const formatNumber = (number, decimals = 0) => number.toLocaleString(language(), { maximumFractionDigits: decimals });

export const levelTitle = (index) => word("levels")[index] ?? "";
export const gameTitle = (game) => ofGame(game).title ?? game.title;
export const gameSummary = (game) => sentence(ofGame(game).summary ?? game.summary);
export const playerName = (game, player) => (ofGame(game).players ?? game.players)[player === "first" ? 0 : 1];
export const rules = (game) => ofGame(game).rules ?? game.rules.split("\n\n").map((part) => part.replaceAll("\n", " "));
/** A part of the tour (`how`, `kinds`, `points`); empty where there is nothing to say. */
export const tourText = (game, part) => ofGame(game).tour?.[part] ?? game.presentation.tour[part];

/** Positions to learn from: what is hard to imagine first, then the example of the game. */
export function lessons(game) {
  const texts = ofGame(game).lessons ?? [];
  return [...game.presentation.lessons, game.example].map(({ position, caption }, index) => ({
    position,
    caption: texts[index] ?? caption,
  }));
}

/** A parameter of a game in the name of a board; undefined where it has no words. */
export function keyText(game, key, value) {
  const text = ofGame(game).keys?.[key] ?? Object.fromEntries(game.presentation.keys)[key];
  return text === undefined ? undefined : fill(text, { value });
}

/** What a piece or a counter of a game is called. */
function nameOf(game, name, owner) {
  const names = { ...Object.fromEntries(game?.presentation?.names ?? []), ...ofGame(game).names };
  return names[`${owner} ${name}`] ?? names[name] ?? name;
}
export const pieceName = (game, piece) => nameOf(game, piece.name, piece.owner);
export const counterName = (game, counter) => nameOf(game, counter.label, counter.player);
/** A square with what stands on it. */
export const squareText = (game, square, piece) => `${square}, ${piece ? pieceName(game, piece) : t("empty")}`;

/** A text as a sentence; squares keep their small letters. */
const sentence = (text) => `${text.replace(/^\p{Ll}(?!\d)/u, (letter) => letter.toUpperCase())}.`;

/** A level by its title, anything else as it is written. */
export function agentName(spec) {
  const level = spec.match(/^level=(\d)$/);
  return level ? `${level[1]} · ${levelTitle(Number(level[1]) - 1)}` : spec;
}

/** What the engine says about a game: a key with arguments, among them names of players and pieces, and the same in English. */
export function said(game, { key, args, english }) {
  const text = ofGame(game).phrases?.[key] ?? own().phrases?.[key];
  if (text === undefined) return english;
  const argument = (value) =>
    game.players.includes(value) ? playerName(game, ["first", "second"][game.players.indexOf(value)]) : nameOf(game, value);
  return fill(text, Object.fromEntries(Object.entries(args).map(([name, value]) => [name, argument(value)])));
}

/** Why a move was refused, as a sentence. */
export const refusalText = (game, refused) => sentence(refused.reason ? said(game, refused.reason) : refused.message);

/** An outcome of chance in words: a move of the history. */
export const outcomeText = (game, played) =>
  played.outcome ? sentence(said(game, played.outcome)) : (played.label ?? played.move);

/** An outcome of chance in a sign, for the list of moves. */
export const outcomeSign = (played) => played.outcome?.sign ?? played.label ?? played.move;
