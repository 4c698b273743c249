/** The figures above the board, and the clock. */

import { duration } from "./words.js";

const TICK = 250;
const COUNTED = [
  "strokes", "app_score", "streak", "moves", "stock", "cleared", "longest_streak", "streak_score",
  "undos", "hints",
];

export class Figures {
  #root;
  #words;
  #par;
  #elapsed = 0;
  #since = 0;
  #isRunning = false;

  constructor(root, words, par) {
    this.#root = root;
    this.#words = words;
    this.#par = par;
    setInterval(() => this.#showTime(), TICK);
  }

  /** Show a position; `elapsed` is its time, known just now. */
  show(view, { isFresh }) {
    for (const name of COUNTED) this.#set(name, String(view[name]));
    this.#set("to_par", this.#words.toPar(view.strokes - this.#par));
    if (isFresh) {
      this.#elapsed = view.elapsed;
      this.#since = performance.now();
    } else if (!this.#isRunning && view.turn > 0) {
      this.#since = performance.now();
    }
    this.#isRunning = view.turn > 0 && !view.final;
    this.#showTime();
  }

  #showTime() {
    const passed = this.#isRunning ? performance.now() - this.#since : 0;
    this.#set("time", duration(this.#elapsed + passed));
  }

  #set(name, text) {
    for (const element of this.#root.querySelectorAll(`[data-figure="${name}"]`)) {
      if (element.textContent !== text) element.textContent = text;
    }
  }
}
