/** `<golf-replay>`: a finished game, a step at a time. templates/components/replay.html has its parts. */

import { Figures } from "./board/figures.js";
import { setSpeed } from "./board/motion.js";
import { chosen } from "./board/settings.js";
import { LONGEST_PAUSE, SHORTEST_PAUSE, Steps, applyLook, stepOf } from "./board/steps.js";
import { Table } from "./board/table.js";
import { Talk } from "./board/talk.js";
import { Words, capital } from "./board/words.js";

const language = document.documentElement.lang;

class GolfReplay extends HTMLElement {
  #parts = {};
  #steps;
  #at = 0;
  #timer = 0;

  connectedCallback() {
    for (const part of this.querySelectorAll("[data-part]")) this.#parts[part.dataset.part] = part;
    this.#steps = new Steps(JSON.parse(document.getElementById(this.dataset.source).textContent));
    const data = JSON.parse(document.getElementById("board-words").textContent);
    this.words = new Words(data, language);
    this.table = new Table(this.#parts.grid, this.words);
    this.figures = new Figures(this, this.words, Number(this.dataset.par));
    this.talk = new Talk(this.#parts.talk, this.#parts.live);
    this.#applySettings(chosen(JSON.parse(document.getElementById("board-settings").textContent)));
    this.#parts.slider.addEventListener("input", () => this.#go(this.#parts.slider.valueAsNumber));
    this.addEventListener("click", (event) => this.#click(event));
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#show();
    this.dataset.ready = "";
  }

  disconnectedCallback() {
    this.#stop();
  }

  #applySettings(settings) {
    applyLook(this, settings);
    setSpeed(settings.motion);
  }

  get #isPlaying() {
    return this.hasAttribute("data-playing");
  }

  // What the viewer does -----------------------------------------------------------------------

  #click({ target }) {
    const name = target.closest("[data-do]")?.dataset.do;
    if (name === "play") this.#isPlaying ? this.#stop() : this.#play();
    else if (name === "read") this.#read();
    else if (name) this.#go(this.#target(name));
  }

  #key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    // The slider and the grid have these keys themselves; elsewhere Home and End are the page's.
    const isInside = this.contains(event.target);
    // Where the focus is nowhere, the first of two replays is meant.
    const isMeant = isInside || (event.target === document.body && this === document.querySelector("golf-replay"));
    if (event.target.closest("input, select") || !isMeant) return;
    const name = stepOf(event.key, this);
    if (this.table.walk(event)) event.preventDefault();
    else if (name && (isInside || event.key.startsWith("Arrow"))) {
      event.preventDefault();
      this.#go(this.#target(name));
    }
  }

  #target(name) {
    const { last } = this.#steps;
    const lost = Number(this.dataset.lostAt);
    return { first: 0, previous: this.#at - 1, next: this.#at + 1, last, lost }[name];
  }

  #go(step) {
    this.#stop();
    this.#step(step);
  }

  #step(step) {
    const at = Math.min(Math.max(step, 0), this.#steps.last);
    if (at === this.#at) return;
    this.#at = at;
    this.#show();
    this.talk.say(this.#parts.talk.textContent, { alone: true });
  }

  // Playing ------------------------------------------------------------------------------------

  #play() {
    this.toggleAttribute("data-playing", true);
    if (this.#at === this.#steps.last) this.#step(0);
    this.#name();
    this.#next();
  }

  #next() {
    if (this.#at === this.#steps.last) {
      this.#stop();
      return;
    }
    const gap = this.#steps.ms(this.#at + 1) - this.#steps.ms(this.#at);
    const pause = Math.min(gap, LONGEST_PAUSE) / Number(this.#parts.speed.value);
    this.#timer = setTimeout(() => {
      this.#step(this.#at + 1);
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
    const view = this.#steps.view(this.#at);
    const { slider, count } = this.#parts;
    const text = capital(this.#steps.text(this.#at), language);
    this.dataset.at = this.#at;
    this.table.show(view);
    this.figures.show(view, { isFresh: true });
    this.#parts.talk.textContent = text;
    slider.value = this.#at;
    slider.setAttribute("aria-valuetext", text);
    count.textContent = `${this.#at} / ${this.#steps.last}`;
    if (this.#parts["go-on"]) this.#parts["go-on"].value = this.#at;
    this.#parts["read-out"].textContent = this.words.board(view);
    this.#name();
    this.#disable();
  }

  #disable() {
    const { last } = this.#steps;
    const off = { first: this.#at === 0, previous: this.#at === 0, next: this.#at === last, last: this.#at === last };
    for (const [name, isOff] of Object.entries(off)) {
      this.querySelector(`[data-do="${name}"]`).setAttribute("aria-disabled", String(isOff));
    }
  }

  #read() {
    const part = this.#parts["read-out"];
    part.hidden = !part.hidden;
    if (!part.hidden) this.talk.say(part.textContent);
  }
}

customElements.define("golf-replay", GolfReplay);
