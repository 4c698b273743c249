/** The controls of boards that are gone through a step at a time: components/stepper.html. */

import { dataOf, language } from "../page.js";
import { setSpeed } from "./motion.js";
import { chosen } from "./settings.js";
import { Talk } from "./talk.js";
import { Words } from "./words.js";

/** A player's long thought is no long wait for whoever watches; two fast moves are still two. */
const LONGEST_PAUSE = 6000;
const SHORTEST_PAUSE = 150;

/**
 * An element with such controls, and a `talk` and a `live` part. A class that extends it has
 *
 * - `layOut()`: make its boards, with `words` and `parts`;
 * - `at`, `last`: the number of the step that is shown, and of the last one;
 * - `move(step)`: show a step, and say it;
 * - `isOver`: whether there is nothing left to play;
 * - `upcoming()`: while it plays, the `gap` to the next step in ms, and how to `make` it;
 * - `walk(event)`: whether the key was for a board;
 *
 * and may have `marks` (steps that a button jumps to), `begin()` (before it plays), and `isMeant`.
 */
export class Stepper extends HTMLElement {
  parts = {};
  marks = {};
  #timer = 0;

  connectedCallback() {
    for (const part of this.querySelectorAll("[data-part]")) this.parts[part.dataset.part] = part;
    this.talk = new Talk(this.parts.talk, this.parts.live);
    this.words = new Words(dataOf("board-words"), language);
    this.layOut();
    this.#applySettings(chosen(dataOf("board-settings")));
    this.parts.slider.addEventListener("input", () => this.#go(this.parts.slider.valueAsNumber));
    this.addEventListener("click", ({ target }) => this.press(target.closest("[data-do]")?.dataset.do));
    document.addEventListener("keydown", (event) => this.#key(event));
    this.show();
    this.dataset.ready = "";
  }

  disconnectedCallback() {
    this.#stop();
  }

  begin() {}

  /** Whether the arrows are this element's where the focus is nowhere. */
  get isMeant() {
    return true;
  }

  get #isPlaying() {
    return this.hasAttribute("data-playing");
  }

  #applySettings(settings) {
    this.toggleAttribute("data-four-colours", settings.four_colours);
    this.toggleAttribute("data-big-cards", settings.big_cards);
    setSpeed(settings.motion);
  }

  // What the viewer does -----------------------------------------------------------------------

  press(name) {
    if (name === "play") this.#isPlaying ? this.#stop() : this.#play();
    else if (name) this.#go(this.#target(name));
  }

  #key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    // The slider and the grids have these keys themselves; elsewhere Home and End are the page's.
    const isInside = this.contains(event.target);
    const isOurs = isInside || (event.target === document.body && this.isMeant);
    if (event.target.closest("input, select") || !isOurs) return;
    const name = this.#stepOf(event.key);
    if (this.walk(event)) event.preventDefault();
    else if (name && (isInside || event.key.startsWith("Arrow"))) {
      event.preventDefault();
      this.#go(this.#target(name));
    }
  }

  /** The step that a key means, in the page's direction. */
  #stepOf(key) {
    const isMirrored = getComputedStyle(this).direction === "rtl";
    return {
      ArrowLeft: isMirrored ? "next" : "previous",
      ArrowRight: isMirrored ? "previous" : "next",
      Home: "first",
      End: "last",
    }[key];
  }

  #target(name) {
    const { at, last, marks } = this;
    return { first: 0, previous: at - 1, next: at + 1, last, ...marks }[name];
  }

  #go(step) {
    this.#stop();
    this.move(Math.min(Math.max(step, 0), this.last));
  }

  // Playing ------------------------------------------------------------------------------------

  #play() {
    this.toggleAttribute("data-playing", true);
    if (this.isOver) this.move(0);
    this.begin();
    this.#name();
    this.#next();
  }

  #next() {
    if (this.isOver) {
      this.#stop();
      return;
    }
    const { gap, make } = this.upcoming();
    const pause = Math.min(gap, LONGEST_PAUSE) / Number(this.parts.speed.value);
    this.#timer = setTimeout(() => {
      make();
      this.#next();
    }, Math.max(pause, SHORTEST_PAUSE));
  }

  #stop() {
    clearTimeout(this.#timer);
    this.toggleAttribute("data-playing", false);
    this.#name();
  }

  // What is shown ------------------------------------------------------------------------------

  /** Let the controls show where it is; `text` is the slider's value in words. */
  show(text) {
    const { at, last } = this;
    const { slider, count } = this.parts;
    this.dataset.at = at;
    slider.value = at;
    slider.setAttribute("aria-valuetext", text);
    count.textContent = `${at} / ${last}`;
    const off = { first: at === 0, previous: at === 0, next: at === last, last: at === last };
    for (const [name, isOff] of Object.entries(off)) {
      this.querySelector(`[data-do="${name}"]`).setAttribute("aria-disabled", String(isOff));
    }
    this.#name();
  }

  #name() {
    const name = this.parts["play-name"];
    name.textContent = this.#isPlaying ? name.dataset.stop : name.dataset.play;
  }
}
