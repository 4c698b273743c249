/** The positions of a finished game, one after the other, and what a player's keys mean there. */

/** A player's long thought is no long wait for whoever watches; two fast moves are still two. */
export const LONGEST_PAUSE = 6000;
export const SHORTEST_PAUSE = 150;
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

/** The step that a key means, in an element's direction. */
export function stepOf(key, element) {
  const isMirrored = getComputedStyle(element).direction === "rtl";
  return {
    ArrowLeft: isMirrored ? "next" : "previous",
    ArrowRight: isMirrored ? "previous" : "next",
    Home: "first",
    End: "last",
  }[key];
}

/** Show a board's cards as its player, or the device, has chosen. */
export function applyLook(element, settings) {
  element.toggleAttribute("data-four-colours", settings.four_colours);
  element.toggleAttribute("data-big-cards", settings.big_cards);
}
