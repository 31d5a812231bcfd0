// Two short tones, if sound is switched on.

import { recall } from "./memory.js";

/** @type {AudioContext | null} */
let context = null;

/** @param {"move" | "end"} kind */
export function sound(kind) {
  if (!recall("sound", false)) return;
  context ??= new AudioContext();
  const [oscillator, gain] = [context.createOscillator(), context.createGain()];
  oscillator.frequency.value = kind === "end" ? 330 : 520;
  gain.gain.setValueAtTime(0.08, context.currentTime);
  gain.gain.exponentialRampToValueAtTime(0.0001, context.currentTime + 0.15);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start();
  oscillator.stop(context.currentTime + 0.16);
}
