/** The figures above the board, the clock, and the time that is left. */

import { duration } from "./words.js";

const TICK = 250;
const SECOND = 1000;
const LAST_MINUTE = 60 * SECOND;
const HOUR = 60 * LAST_MINUTE;
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
  #isFinal = false;
  #isKnown = false;
  #closesAt = null;
  #now;
  #warn;
  #warnedOf = null;

  /**
   * For a board with a deadline: `now` tells the server's clock, `warn` is called once when the
   * last minute begins.
   */
  constructor(root, words, par, { now, warn } = {}) {
    this.#root = root;
    this.#words = words;
    this.#par = par;
    this.#now = now;
    this.#warn = warn;
    setInterval(() => this.#tick(), TICK);
  }

  /** The deadline in ms since 1970, null for none. */
  setDeadline(closesAt) {
    this.#closesAt = closesAt;
    this.#showLeft();
  }

  /** Show no figures, before a game is known. */
  clear() {
    this.#closesAt = null;
    this.#elapsed = 0;
    this.#isRunning = false;
    this.#isFinal = false;
    this.#isKnown = false;
    for (const name of [...COUNTED, "to_par", "time", "left"]) this.#set(name, "–");
    this.#root.removeAttribute("data-last-minute");
    this.#root.removeAttribute("data-hours-left");
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
    // The clock of a race runs from its start, of another game from the first move.
    const hasBegun = view.turn > 0 || this.#root.hasAttribute("data-race");
    this.#isRunning = hasBegun && !view.final;
    this.#isFinal = view.final;
    this.#isKnown = true;
    this.#tick();
  }

  #tick() {
    if (this.#isKnown) this.#showTime();
    this.#showLeft();
  }

  #showLeft() {
    if (this.#closesAt === null) return;
    const left = Math.max(0, this.#closesAt - this.#now());
    const isLast = left <= LAST_MINUTE && !this.#isFinal;
    // The last second is one too.
    this.#set("left", this.#isFinal ? "–" : duration(left + SECOND - 1));
    this.#root.toggleAttribute("data-last-minute", isLast);
    this.#root.toggleAttribute("data-hours-left", left >= HOUR);
    if (!isLast || left === 0 || this.#warnedOf === this.#closesAt) return;
    this.#warnedOf = this.#closesAt;
    this.#warn();
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
