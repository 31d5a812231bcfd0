// Short tones, one kind for each thing that happens: soft, and only after the page was touched.

import { recall } from "./memory.js";

/** @typedef {"move" | "capture" | "chance" | "win" | "loss" | "draw"} SoundKind */

/** @type {AudioContext | null} */
let context = null;

/** Tones as frequency, beginning and length in seconds. @type {Record<SoundKind, [number, number, number][]>} */
const TONES = {
  move: [[300, 0, 0.09]],
  capture: [
    [190, 0, 0.12],
    [120, 0.04, 0.14],
  ],
  chance: [
    [880, 0, 0.08],
    [1320, 0.07, 0.1],
  ],
  win: [
    [523, 0, 0.16],
    [659, 0.12, 0.16],
    [784, 0.24, 0.3],
  ],
  loss: [
    [392, 0, 0.2],
    [294, 0.16, 0.34],
  ],
  draw: [
    [440, 0, 0.16],
    [440, 0.2, 0.2],
  ],
};

/** How loud it is: one is as loud as the device plays anything. */
const VOLUME = 0.05;

/** @param {SoundKind} kind */
export function sound(kind) {
  // A page that was not touched yet may not make a sound, and should not.
  if (!recall("sound", true) || navigator.userActivation?.hasBeenActive === false) return;
  context ??= new AudioContext();
  for (const [frequency, begin, length] of TONES[kind]) {
    const [oscillator, gain] = [context.createOscillator(), context.createGain()];
    const from = context.currentTime + begin;
    oscillator.type = "triangle";
    oscillator.frequency.value = frequency;
    gain.gain.setValueAtTime(VOLUME, from);
    gain.gain.exponentialRampToValueAtTime(0.0001, from + length);
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(from);
    oscillator.stop(from + length + 0.01);
  }
}
