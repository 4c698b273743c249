/** The positions of a finished game, one after the other. */

const CARDS = 35;

export class Steps {
  #columns;
  #steps;

  /** `data` is what `games.transcript.Transcript.replay` returns. */
  constructor({ columns, steps }) {
    this.#columns = columns.map((cards) => (cards ? cards.split(" ") : []));
    this.#steps = steps;
  }

  get last() {
    return this.#steps.length - 1;
  }

  ms(at) {
    return this.#steps[at].ms;
  }

  text(at) {
    return this.#steps[at].text;
  }

  /** The position after `at` actions, as a table and figures show it. */
  view(at) {
    const { heights, ms, text, ...figures } = this.#steps[at];
    const columns = this.#columns.map((cards, index) => cards.slice(0, Number(heights[index])));
    const left = columns.flat().length;
    const standing = { legal: "", waiting: null, final: true, turn: at };
    return { ...figures, ...standing, columns, left, cleared: CARDS - left, strokes: left, elapsed: ms };
  }
}
