/**
 * The line beside the waste for those who see it, and the polite region for those who listen.
 *
 * What is spoken is gathered for a moment, so that quick play is not read out card by card.
 */

const GATHER = 400;
const AT_MOST = 3;
const SHOWN = 8000;
/** Two equal sentences in a row differ by this, so that the second is read as well. */
const AGAIN = "\u00A0";

export class Talk {
  #line;
  #live;
  #queue = [];
  #timer = 0;
  #fade = 0;
  #last = "";

  constructor(line, live) {
    this.#line = line;
    this.#live = live;
  }

  /** Show a sentence until the next move, or for a while. */
  show(text, tone = "") {
    clearTimeout(this.#fade);
    this.#line.textContent = text;
    this.#line.dataset.tone = tone;
    if (text) this.#fade = setTimeout(() => this.show(""), SHOWN);
  }

  /** Say a sentence to those who listen; one that makes older ones pointless is said `alone`. */
  say(text, { alone = false } = {}) {
    if (alone) this.#queue = [];
    this.#queue.push(text);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#speak(), GATHER);
  }

  #speak() {
    const text = this.#queue.slice(-AT_MOST).join(" ");
    this.#queue = [];
    this.#last = text === this.#last ? text + AGAIN : text;
    this.#live.textContent = this.#last;
  }
}
