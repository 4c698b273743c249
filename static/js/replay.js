/** `<golf-replay>`: a finished game, a step at a time. templates/components/replay.html has its parts. */

import { Figures } from "./board/figures.js";
import { Stepper } from "./board/stepper.js";
import { Steps } from "./board/steps.js";
import { Table } from "./board/table.js";
import { capital } from "./board/words.js";
import { dataOf, language } from "./page.js";

class GolfReplay extends Stepper {
  at = 0;
  #steps;
  #table;
  #figures;

  layOut() {
    this.#steps = new Steps(dataOf(this.dataset.source));
    this.#table = new Table(this.parts.grid, this.words);
    this.#figures = new Figures(this, this.words, Number(this.dataset.par));
    this.marks = { lost: Number(this.dataset.lostAt) };
  }

  get last() {
    return this.#steps.last;
  }

  get isOver() {
    return this.at === this.last;
  }

  /** Of two replays on a page the first. */
  get isMeant() {
    return this === document.querySelector("golf-replay");
  }

  press(name) {
    if (name === "read") this.#read();
    else super.press(name);
  }

  walk(event) {
    return this.#table.walk(event);
  }

  move(step) {
    if (step === this.at) return;
    this.at = step;
    this.show();
    this.talk.say(this.parts.talk.textContent, { alone: true });
  }

  upcoming() {
    const next = this.at + 1;
    return { gap: this.#steps.ms(next) - this.#steps.ms(this.at), make: () => this.move(next) };
  }

  show() {
    const view = this.#steps.view(this.at);
    const text = capital(this.#steps.text(this.at), language);
    this.#table.show(view);
    this.#figures.show(view, { isFresh: true });
    this.parts.talk.textContent = text;
    this.parts["read-out"].textContent = this.words.board(view);
    if (this.parts["go-on"]) this.parts["go-on"].value = this.at;
    super.show(text);
  }

  #read() {
    const part = this.parts["read-out"];
    part.hidden = !part.hidden;
    if (!part.hidden) this.talk.say(part.textContent);
  }
}

customElements.define("golf-replay", GolfReplay);
