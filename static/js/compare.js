/** `<golf-compare>`: two lines of one deal, in step. templates/tournaments/compare.html has its parts. */

import { Figures } from "./board/figures.js";
import { Stepper } from "./board/stepper.js";
import { Steps } from "./board/steps.js";
import { Table } from "./board/table.js";
import { capital } from "./board/words.js";
import { dataOf, language } from "./page.js";

/** One of the two boards. */
class Side {
  at = 0;
  #steps;
  #table;
  #figures;
  #move;

  constructor(element, data, words, par) {
    this.name = element.dataset.name;
    this.#steps = new Steps(data);
    this.#table = new Table(element.querySelector('[data-part="grid"]'), words);
    this.#figures = new Figures(element, words, par);
    this.#move = element.querySelector('[data-part="move"]');
  }

  get last() {
    return this.#steps.last;
  }

  get isOver() {
    return this.at === this.last;
  }

  /** When its next move was made, in ms since its time began. */
  get due() {
    return this.#steps.ms(this.at + 1);
  }

  get ms() {
    return this.#steps.ms(this.at);
  }

  get text() {
    return capital(this.#steps.text(this.at), language);
  }

  walk(event) {
    return this.#table.walk(event);
  }

  show(at) {
    this.at = Math.min(at, this.last);
    const view = this.#steps.view(this.at);
    this.#table.show(view);
    this.#figures.show(view, { isFresh: true });
    this.#move.textContent = this.text;
  }
}

class GolfCompare extends Stepper {
  #sides = [];
  #shared = 0;
  /** While it plays: how much of the games' time has passed, and each side's time at the start. */
  #clock = 0;
  #from = [];

  layOut() {
    const { boards, shared } = dataOf("compare-data");
    this.#shared = shared;
    this.marks = { parting: shared };
    this.#sides = [...this.querySelectorAll("[data-side]")].map(
      (element, index) => new Side(element, boards[index], this.words, Number(this.dataset.par)),
    );
    for (const side of this.#sides) side.show(0);
  }

  /** The number of the step: of the side that has gone further, where they were played apart. */
  get at() {
    return Math.max(...this.#sides.map(({ at }) => at));
  }

  get last() {
    return Math.max(...this.#sides.map(({ last }) => last));
  }

  get isOver() {
    return this.#sides.every(({ isOver }) => isOver);
  }

  /** Whether both show the same position of the way that they share. */
  get #isTogether() {
    const [first, second] = this.#sides;
    return first.at === second.at && first.at <= this.#shared;
  }

  walk(event) {
    return this.#sides.some((side) => side.walk(event));
  }

  /** Bring both to one step. */
  move(step) {
    this.#bring(this.#sides.map(() => step));
  }

  /** Show a step of each side, and say what is new. */
  #bring(steps) {
    const moved = this.#sides.filter((side, index) => side.at !== Math.min(steps[index], side.last));
    this.#sides.forEach((side, index) => {
      if (moved.includes(side)) side.show(steps[index]);
    });
    this.show();
    if (moved.length) this.talk.say(this.#said(moved), { alone: true });
  }

  #said(moved) {
    const where = this.parts.talk.textContent;
    if (this.#isTogether) return `${where}. ${this.#sides[0].text}`;
    const told = moved.map(({ name, text }) => this.#template("said", { name, text }));
    return `${where}. ${told.join(". ")}`;
  }

  #template(name, parameters) {
    return this.parts.talk.dataset[name].replace(/\{(\w+)\}/g, (_, key) => parameters[key]);
  }

  begin() {
    this.#clock = 0;
    this.#from = this.#sides.map(({ ms }) => ms);
  }

  upcoming() {
    const going = this.#sides.map((side, index) => (side.isOver ? Infinity : side.due - this.#from[index]));
    const soonest = Math.min(...going);
    const make = () => {
      this.#clock = soonest;
      this.#bring(this.#sides.map((side, index) => side.at + Number(going[index] <= soonest)));
    };
    return { gap: soonest - this.#clock, make };
  }

  show() {
    const { at, last } = this;
    const where = this.parts.talk;
    const isParting = this.#isTogether && at === this.#shared && at < last;
    // Played at their own pace, one may be ahead on the way that they share.
    const isApart = !this.#isTogether && at > this.#shared;
    where.textContent = where.dataset[isParting ? "parting" : isApart ? "apart" : "same"];
    this.toggleAttribute("data-parting", isParting);
    this.toggleAttribute("data-apart", isApart);
    super.show(where.textContent);
  }
}

customElements.define("golf-compare", GolfCompare);
