/** `<golf-compare>`: two lines of one deal, in step. templates/tournaments/compare.html has its parts. */

import { Figures } from "./board/figures.js";
import { setSpeed } from "./board/motion.js";
import { chosen } from "./board/settings.js";
import { LONGEST_PAUSE, SHORTEST_PAUSE, Steps, applyLook, stepOf } from "./board/steps.js";
import { Table } from "./board/table.js";
import { Talk } from "./board/talk.js";
import { Words, capital } from "./board/words.js";

const language = document.documentElement.lang;

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

class GolfCompare extends HTMLElement {
  #parts = {};
  #sides = [];
  #shared = 0;
  #timer = 0;
  /** While it plays: how much of the games' time has passed, and each side's time at the start. */
  #clock = 0;
  #from = [];

  connectedCallback() {
    for (const part of this.querySelectorAll(".replay-controls [data-part], [data-part=live]")) {
      this.#parts[part.dataset.part] = part;
    }
    const { boards, shared } = JSON.parse(document.getElementById("compare-data").textContent);
    const words = new Words(JSON.parse(document.getElementById("board-words").textContent), language);
    this.#shared = shared;
    this.#sides = [...this.querySelectorAll("[data-side]")].map(
      (element, index) => new Side(element, boards[index], words, Number(this.dataset.par)),
    );
    this.talk = new Talk(this.#parts.where, this.#parts.live);
    const settings = chosen(JSON.parse(document.getElementById("board-settings").textContent));
    applyLook(this, settings);
    setSpeed(settings.motion);
    this.#parts.slider.addEventListener("input", () => this.#go(this.#parts.slider.valueAsNumber));
    this.addEventListener("click", (event) => this.#click(event));
    document.addEventListener("keydown", (event) => this.#key(event));
    for (const side of this.#sides) side.show(0);
    this.#show();
    this.dataset.ready = "";
  }

  disconnectedCallback() {
    this.#stop();
  }

  /** The number of the step: of the side that has gone further, where they were played apart. */
  get #at() {
    return Math.max(...this.#sides.map(({ at }) => at));
  }

  get #last() {
    return Math.max(...this.#sides.map(({ last }) => last));
  }

  get #isPlaying() {
    return this.hasAttribute("data-playing");
  }

  // What the viewer does -----------------------------------------------------------------------

  #click({ target }) {
    const name = target.closest("[data-do]")?.dataset.do;
    if (name === "play") this.#isPlaying ? this.#stop() : this.#play();
    else if (name) this.#go(this.#target(name));
  }

  #key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    // The slider and the grids have these keys themselves; elsewhere Home and End are the page's.
    const isInside = this.contains(event.target);
    if (event.target.closest("input, select") || !(isInside || event.target === document.body)) return;
    const name = stepOf(event.key, this);
    if (this.#sides.some((side) => side.walk(event))) event.preventDefault();
    else if (name && (isInside || event.key.startsWith("Arrow"))) {
      event.preventDefault();
      this.#go(this.#target(name));
    }
  }

  #target(name) {
    const at = this.#at;
    return { first: 0, previous: at - 1, next: at + 1, last: this.#last, parting: this.#shared }[name];
  }

  /** Bring both to one step. */
  #go(step) {
    this.#stop();
    const at = Math.min(Math.max(step, 0), this.#last);
    this.#move(this.#sides.map(() => at));
  }

  /** Show a step of each side, and say what is new. */
  #move(steps) {
    const moved = this.#sides.filter((side, index) => side.at !== Math.min(steps[index], side.last));
    this.#sides.forEach((side, index) => {
      if (moved.includes(side)) side.show(steps[index]);
    });
    this.#show();
    if (moved.length) this.talk.say(this.#said(moved), { alone: true });
  }

  #said(moved) {
    const where = this.#parts.where.textContent;
    if (this.#isTogether) return `${where}. ${this.#sides[0].text}`;
    const told = moved.map(({ name, text }) => this.#template("said", { name, text }));
    return `${where}. ${told.join(". ")}`;
  }

  #template(name, parameters) {
    return this.#parts.where.dataset[name].replace(/\{(\w+)\}/g, (_, key) => parameters[key]);
  }

  /** Whether both show the same position of the way that they share. */
  get #isTogether() {
    const [first, second] = this.#sides;
    return first.at === second.at && first.at <= this.#shared;
  }

  // Playing ------------------------------------------------------------------------------------

  #play() {
    this.toggleAttribute("data-playing", true);
    if (this.#sides.every(({ isOver }) => isOver)) this.#move([0, 0]);
    this.#clock = 0;
    this.#from = this.#sides.map(({ ms }) => ms);
    this.#name();
    this.#next();
  }

  #next() {
    const going = this.#sides.map((side, index) => (side.isOver ? Infinity : side.due - this.#from[index]));
    const soonest = Math.min(...going);
    if (soonest === Infinity) {
      this.#stop();
      return;
    }
    const pause = Math.min(soonest - this.#clock, LONGEST_PAUSE) / Number(this.#parts.speed.value);
    this.#timer = setTimeout(() => {
      this.#clock = soonest;
      this.#move(this.#sides.map((side, index) => side.at + Number(going[index] <= soonest)));
      this.#next();
    }, Math.max(pause, SHORTEST_PAUSE));
  }

  #stop() {
    clearTimeout(this.#timer);
    this.toggleAttribute("data-playing", false);
    this.#name();
  }

  #name() {
    const name = this.#parts["play-name"];
    name.textContent = this.#isPlaying ? name.dataset.stop : name.dataset.play;
  }

  // What is shown ------------------------------------------------------------------------------

  #show() {
    const { where, slider, count } = this.#parts;
    const [at, last] = [this.#at, this.#last];
    const isParting = this.#isTogether && at === this.#shared && at < last;
    // Played at their own pace, one may be ahead on the way that they share.
    const isApart = !this.#isTogether && at > this.#shared;
    where.textContent = where.dataset[isParting ? "parting" : isApart ? "apart" : "same"];
    this.dataset.at = at;
    this.toggleAttribute("data-parting", isParting);
    this.toggleAttribute("data-apart", isApart);
    slider.value = at;
    slider.setAttribute("aria-valuetext", where.textContent);
    count.textContent = `${at} / ${last}`;
    const off = { first: at === 0, previous: at === 0, next: at === last, last: at === last };
    for (const [step, isOff] of Object.entries(off)) {
      this.querySelector(`[data-do="${step}"]`).setAttribute("aria-disabled", String(isOff));
    }
    this.#name();
  }
}

customElements.define("golf-compare", GolfCompare);
