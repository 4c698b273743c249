/** The panel at the end, and the buttons that an end switches on and off. */

export class Result {
  #board;
  #panel;
  #title;
  #text;
  #words;
  #table;
  #isPeeking = false;

  constructor(board, parts, words, table) {
    this.#board = board;
    this.#panel = parts.result;
    this.#title = parts["result-title"];
    this.#text = parts["result-text"];
    this.#words = words;
    this.#table = table;
  }

  /** Put the panel away, as at the start of a game. */
  clear() {
    this.#isPeeking = false;
    this.#panel.hidden = true;
    this.#each('[data-do="result"]', (button) => {
      button.hidden = true;
    });
  }

  /** Show how a position stands; `undo` and `hints` say whether they are allowed. */
  show(view, { undo, hints }, now) {
    const focused = this.#panel.contains(document.activeElement) ? document.activeElement : null;
    const isOver = view.state !== "playing";
    if (!isOver) this.#isPeeking = false;
    this.#panel.hidden = !isOver || this.#isPeeking;
    this.#each('[data-do="result"]', (button) => {
      button.hidden = !isOver || !this.#isPeeking;
    });
    this.#disable(view, isOver);
    if (isOver) this.#fill(view, { undo, hints }, now);
    // Whoever pressed a button that is gone now is not sent to the top of the page.
    if (focused && !focused.checkVisibility()) this.#giveFocus();
  }

  #fill(view, { undo, hints }, now) {
    this.#title.textContent = this.title(view);
    this.#text.textContent = this.text(view);
    this.#each("[data-when]", (part) => {
      const isDue = view.final === (part.dataset.when === "final");
      // Where the time of the next hole is over too, there is none to start.
      const until = part.dataset.next;
      part.hidden = !isDue || (until !== undefined && until !== "" && Number(until) <= now);
    });
    this.#each(".helps", (part) => {
      part.hidden = !undo && !hints;
    });
  }

  /** Look at the board behind the panel, or come back. */
  peek(on) {
    this.#isPeeking = on;
    this.#panel.hidden = on;
    this.#each('[data-do="result"]', (button) => {
      button.hidden = !on;
    });
    this.#giveFocus();
  }

  #giveFocus() {
    if (this.#panel.hidden) this.#table.focus();
    else this.#title.focus();
  }

  title({ state }) {
    return this.#words.say(`title_${state}`);
  }

  text({ state, left, stock }) {
    return state === "won" ? this.#words.count("stock_spared", stock) : this.#words.count("cards_left", left);
  }

  #disable(view, isOver) {
    const off = {
      d: isOver || view.stock === 0,
      u: view.final || (view.turn === 0 && view.waiting === null),
      h: isOver,
      pause: isOver,
      "give-up": view.final,
    };
    this.#each(".controls [data-do]", (button) => {
      const name = button.dataset.do;
      if (name in off) button.setAttribute("aria-disabled", String(off[name]));
    });
  }

  #each(selector, change) {
    for (const part of this.#board.querySelectorAll(selector)) change(part);
  }
}
