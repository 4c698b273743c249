/**
 * `<golf-ghost>`: a game that is raced against the ghost of a finished one.
 *
 * The figures of the ghost came with the page, each with its time; all the rest is reckoned here.
 * templates/components/ghost.html has the parts.
 */

import { dataOf } from "./page.js";
import { Standing } from "./race/standing.js";
import { RoomWords, duration } from "./race/words.js";

const TICK = 200;
const CARDS = 35;
/** Two times so close are one: it is what a line to the server may take (RACE_MARGIN_MS). */
const MARGIN = 50;
const OWN = 1;
const GHOST = 2;

/** How long a race has stood still, also over a reload of the page. */
class Pauses {
  #key;
  #total = 0;
  #since = null;

  constructor(game) {
    this.#key = `golf.ghost.${game}`;
    try {
      const { total = 0, since = null } = JSON.parse(sessionStorage.getItem(this.#key) ?? "{}");
      this.#total = total;
      this.#since = since;
    } catch {
      // A closed storage forgets.
    }
    this.end();
  }

  get ms() {
    return this.#total + (this.#since === null ? 0 : Date.now() - this.#since);
  }

  begin() {
    this.#since ??= Date.now();
    this.#keep();
  }

  end() {
    this.#total = this.ms;
    this.#since = null;
    this.#keep();
  }

  #keep() {
    try {
      sessionStorage.setItem(this.#key, JSON.stringify({ total: this.#total, since: this.#since }));
    } catch {
      // It holds until the page is left.
    }
  }
}

/** Both racers, as `Standing` asks for those of a room. */
class GhostRace {
  you = { seat: OWN };
  watchable = [];
  #moments;
  #view = null;
  #time = 0;
  #seats;

  constructor(own, { name, moments }, words) {
    this.#moments = moments;
    const seat = { connected: true, playing: true, place: 1 };
    this.#seats = [
      { ...seat, id: OWN, name: own },
      { ...seat, id: GHOST, name: words.say("ghost", { name }) },
    ];
  }

  /** Take in how the own game stands after so many ms of the race. */
  take(view, time) {
    this.#view = view;
    this.#time = time;
    const better = this.#compare();
    const places = { [OWN]: better > 0 ? 2 : 1, [GHOST]: better < 0 ? 2 : 1 };
    for (const seat of this.#seats) seat.place = places[seat.id];
  }

  get hasBegun() {
    return this.#view.turn > 0;
  }

  get isOver() {
    return this.#view.final;
  }

  get ghostIsOver() {
    return this.isOver || (this.hasBegun && this.#time >= this.#moments.at(-1).ms);
  }

  get times() {
    return [this.#time, this.#moments.at(-1).ms];
  }

  get strokes() {
    return this.#seats.map((seat) => this.figures(seat).strokes);
  }

  /** Below zero where the player is ahead, above it where the ghost is. */
  #compare() {
    const [own, other] = this.strokes;
    if (own !== other || !this.isOver) return own - other;
    const [time, its] = this.times;
    return Math.abs(time - its) <= MARGIN ? 0 : time - its;
  }

  /** `won`, `lost` or `level`. */
  get outcome() {
    const better = this.#compare();
    if (better === 0) return "level";
    return better < 0 ? "won" : "lost";
  }

  /** The ghost's figures now; at the end of the own game those of its end. */
  get #moment() {
    if (!this.hasBegun) return this.#moments[0];
    if (this.isOver) return this.#moments.at(-1);
    return this.#moments.findLast(({ ms }, at) => at > 0 && ms <= this.#time) ?? this.#moments[0];
  }

  get standing() {
    return [...this.#seats].sort((one, other) => one.place - other.place || one.id - other.id);
  }

  placeText({ place }) {
    return this.#seats[0].place === this.#seats[1].place ? `T${place}` : `${place}`;
  }

  figures({ id }) {
    const isOwn = id === OWN;
    const { left, stock, streak, strokes } = isOwn ? this.#view : this.#moment;
    const isFinal = isOwn ? this.isOver : this.ghostIsOver;
    return { left, stock, streak, strokes, cleared: CARDS - left, isFinal, isWon: isFinal && left === 0 };
  }
}

class GolfGhost extends HTMLElement {
  #parts = {};
  #elapsed = 0;
  #since = 0;
  #view = null;
  #hasEnded = false;
  #isTold = false;

  connectedCallback() {
    for (const part of this.querySelectorAll("[data-ghost]")) this.#parts[part.dataset.ghost] = part;
    const ghost = dataOf("ghost");
    this.ghost = ghost;
    this.words = new RoomWords(dataOf("ghost-words"));
    this.race = new GhostRace(this.dataset.name, ghost, this.words);
    this.pauses = new Pauses(this.dataset.game);
    const { rivals, strip } = this.#parts;
    this.standing = new Standing(rivals, strip, this.words, () => {});
    const board = this.querySelector("golf-board");
    board.addEventListener("position", ({ detail }) => this.#take(detail));
    board.addEventListener("pause", ({ detail }) => this.#pause(detail));
    if (board.position) this.#take({ view: board.position, isFresh: true });
    setInterval(() => this.#show(), TICK);
  }

  #take({ view, isFresh }) {
    // The first move counts from when it was made, and not from when it was answered.
    const isFirst = view.turn > 0 && !this.#view?.turn;
    if (isFresh) this.#elapsed = view.elapsed;
    if (isFresh || isFirst) this.#since = performance.now();
    this.#view = view;
    this.#show();
  }

  #pause(on) {
    if (on && this.#view?.turn > 0) this.pauses.begin();
    else if (!on) this.pauses.end();
  }

  /** How long the race has gone on, in ms; before the first move it means nothing. */
  get #time() {
    const passed = this.#view.final ? 0 : performance.now() - this.#since;
    return Math.max(0, this.#elapsed + passed - this.pauses.ms);
  }

  #show() {
    if (!this.#view) return;
    this.race.take(this.#view, this.#time);
    this.standing.show(this.race, null);
    this.#tellResult();
    this.#tellEnd();
  }

  #tellResult() {
    const { result } = this.#parts;
    result.hidden = !this.race.isOver;
    if (!this.race.isOver || this.#isTold) return;
    this.#isTold = true;
    const { name } = this.ghost;
    const [own, other] = this.race.strokes;
    const [time, otherTime] = this.race.times.map(duration);
    const figures = this.words.say("figures", { own, other, time, other_time: otherTime });
    result.textContent = `${this.words.of(name, this.race.outcome)} ${figures}`;
    this.dataset.outcome = this.race.outcome;
    this.#say(result.textContent);
  }

  #tellEnd() {
    if (this.#hasEnded || this.race.isOver || !this.race.ghostIsOver) return;
    this.#hasEnded = true;
    const [, strokes] = this.race.strokes;
    this.#say(this.words.say("ended", { name: this.ghost.name, strokes }));
  }

  #say(text) {
    this.#parts.live.textContent = text;
  }
}

customElements.define("golf-ghost", GolfGhost);
