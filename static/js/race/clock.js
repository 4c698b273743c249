/** Counting down by the server's clock: to the cards, and to the end of a hole. */

import { duration } from "./words.js";

const SECOND = 1000;
/** The last hundredths before the instant are waited for exactly. */
const TICK = 100;

export class Clock {
  #now;
  #show;
  #at = null;
  #timer = 0;
  #last = null;

  /**
   * @param {() => number} now the server's clock
   * @param {(seconds: number | null) => void} show is told whole seconds that are left, rounded up,
   *   at each change; null when there is nothing to count down to
   */
  constructor(now, show) {
    this.#now = now;
    this.#show = show;
  }

  /** Count down to an instant in ms since 1970, null for none. */
  set(at) {
    this.#at = at;
    this.#tick();
  }

  get left() {
    return this.#at === null ? null : Math.max(0, this.#at - this.#now());
  }

  #tick() {
    clearTimeout(this.#timer);
    const { left } = this;
    const seconds = left === null ? null : Math.ceil(left / SECOND);
    if (seconds !== this.#last) {
      this.#last = seconds;
      this.#show(seconds);
    }
    // Until the next second is full, and a little at a time, since the clock may be set meanwhile.
    if (left) this.#timer = setTimeout(() => this.#tick(), Math.min(TICK, (left % SECOND) + 1));
  }
}

/** Seconds as minutes and seconds. */
export const clockText = (seconds) => duration(seconds * SECOND);
