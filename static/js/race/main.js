/**
 * `<golf-room>`: a room and its races on one page. templates/rooms/room.html has its parts.
 *
 * The page shows what the room's socket says (docs/protocol.md, `room`, `you`, `progress`); what was
 * known when the page was made stands in it, so that nobody waits for the socket to see the room.
 */

import "../board/main.js";
import { Talk } from "../board/talk.js";
import { Line } from "../line.js";
import { dataOf } from "../page.js";
import { Clock, clockText } from "./clock.js";
import { Emotes } from "./emotes.js";
import { RaceBoard } from "./race.js";
import { showResults } from "./results.js";
import { Room } from "./room.js";
import { Seats } from "./seats.js";
import { Standing } from "./standing.js";
import { RoomWords } from "./words.js";

/** Pings that measure the server's clock, of which the quickest counts. */
const PINGS = 6;
/** So many seconds before the next hole the table is laid for it. */
const LAID_BEFORE = 4;
const GO_MS = 700;

class GolfRoom extends HTMLElement {
  #parts = {};
  #room = new Room();
  #isDown = false;
  #go = 0;

  connectedCallback() {
    for (const part of this.querySelectorAll("[data-room]")) this.#parts[part.dataset.room] = part;
    const parts = this.#parts;
    const words = new RoomWords(dataOf("room-words"));
    this.words = words;
    this.talk = new Talk(null, parts.live);
    this.board = new RaceBoard(this.querySelector("golf-board"));
    this.seats = new Seats(parts.seats, words, (seat) => this.#askToRemove(seat));
    this.standing = new Standing(parts.rivals, parts.strip, words, (seat) => this.#watch(seat));
    this.emotes = new Emotes(parts["emote-menu"], words, (emote) => this.line.send({ type: "emote", emote }));
    this.line = new Line(this.dataset.socket, { measure: PINGS });
    const now = () => this.line.now();
    this.countdown = new Clock(now, (seconds) => this.#countDown(seconds));
    this.closing = new Clock(now, (seconds) => this.#showClosing(seconds));
    this.#listen();
    for (const message of dataOf("room-said")) {
      this.#hear(message);
    }
  }

  #listen() {
    const { ready, start, leave, "own-board": own, "settings-link": settings } = this.#parts;
    this.line.addEventListener("message", ({ detail }) => this.#hear(detail));
    this.line.addEventListener("down", ({ detail }) => this.#down(detail));
    this.line.addEventListener("refused", ({ detail }) => this.#turnedAway(detail));
    ready?.addEventListener("click", () => this.#setReady(!this.#room.own?.ready));
    start?.addEventListener("click", () => this.line.send({ type: "start" }));
    own.addEventListener("click", () => this.#watch(null));
    leave?.addEventListener("submit", (event) => this.#askToLeave(event));
    this.#parts["leave-dialog"].addEventListener("submit", ({ target }) => {
      if (target.method === "post") this.#leave();
    });
    settings.addEventListener("click", (event) => this.#openSettings(event));
    this.#parts.settings.addEventListener("submit", (event) => this.#keepSettings(event));
    this.#parts["remove-form"].addEventListener("submit", (event) => this.#removed(event));
    this.addEventListener("click", ({ target }) => {
      if (target.closest('[data-do="watch"]')) this.#watchFirst();
    });
  }

  // The line -----------------------------------------------------------------------------------

  #hear(message) {
    if (message.type === "room") this.#takeRoom(message);
    else if (message.type === "you") this.#takeYou(message);
    else if (message.type === "progress") this.#takeProgress(message);
    else if (message.type === "emote") this.#showEmote(message);
    else if (message.type === "error") this.#problem(message);
  }

  #takeRoom(state) {
    const before = this.#room.isReady ? this.#snapshot() : null;
    this.line.setClock(state.now);
    this.#up();
    if (!this.#room.takeState(state)) return;
    this.#show();
    if (!before) return;
    if (before.phase !== state.phase) this.#showProblem("");
    this.#tellChanges(before);
  }

  #takeYou(you) {
    const { host: wasHost, seat: wasIn } = this.#room.you;
    const isFirst = !this.hasAttribute("data-known");
    this.toggleAttribute("data-known", true);
    this.#room.takeYou(you);
    if (!isFirst && (wasIn === null) !== (you.seat === null)) {
      // A seat was taken in another window, or lost: what the page offers is another.
      location.reload();
      return;
    }
    if (you.host && !wasHost && !isFirst) this.talk.say(this.words.say("you_host"));
    if (this.#room.isReady) this.#show();
  }

  #takeProgress(message) {
    if (!this.#room.isReady) return;
    const ended = this.#room.takeProgress(message);
    this.#showStanding();
    for (const seat of ended) this.#tellEnded(seat);
  }

  #down(why) {
    this.#isDown = true;
    this.#showLine(this.words.say(why ?? "down"));
  }

  #up() {
    if (!this.#isDown) return;
    this.#isDown = false;
    this.#showLine("");
  }

  #turnedAway(why) {
    this.#isDown = true;
    this.#showLine(this.words.say(why));
  }

  #showLine(text) {
    const { line } = this.#parts;
    // The board says so itself while one plays.
    line.hidden = !text;
    line.textContent = text;
    this.toggleAttribute("data-down", this.#isDown);
  }

  #problem({ code }) {
    // Too many signs, one after the other: the menu rests anyway.
    if (code === "throttled") return;
    const name = this.words.has(code) ? code : "failed";
    this.#showProblem(this.words.say(name));
    this.line.send({ type: "state" });
  }

  #showProblem(text) {
    this.#parts.problem.hidden = !text;
    this.#parts.problem.textContent = text;
  }

  // What is shown ------------------------------------------------------------------------------

  #show() {
    const room = this.#room;
    this.dataset.phase = room.phase;
    if (room.phase === "closed") {
      location.reload();
      return;
    }
    this.#showTerms();
    this.countdown.set(room.isRacing ? (room.race?.starts_at ?? null) : null);
    this.closing.set(room.phase === "playing" && room.race.limited ? room.race.closes_at : null);
    this.#showStage();
    this.#showGathering();
    this.#showResults();
    this.#showNotice();
  }

  #showTerms() {
    const { settings } = this.#room;
    const { words } = this;
    const extras = ["undo", "hints", "friendly"].filter((name) => settings[name]);
    if (settings.strokes_kind === "below_par") extras.push("below_par");
    this.#parts.terms.textContent = [
      words.rules(settings.rules),
      words.count("holes", settings.holes),
      words.count("minutes", settings.hole_minutes),
      words.ranking(settings.ranking),
      ...extras.map((name) => words.say(name)),
    ].join(" · ");
    this.#parts["settings-link"].hidden = !this.#room.you.host || this.#room.isRacing;
  }

  /** The board, with what goes on around it; before a hole the table is laid. */
  #showStage() {
    const room = this.#room;
    const isLaid = room.phase !== "between" || (this.countdown.left ?? Infinity) <= LAID_BEFORE * 1000;
    const isOn = room.isRacing && isLaid;
    if (room.isRacing) this.board.show(room.you.game, isLaid ? room.watchable : []);
    else this.board.show(null, []);
    this.#parts.race.hidden = !isOn;
    document.body.classList.toggle("playing", isOn);
    this.toggleAttribute("data-board", this.board.isShown);
    this.toggleAttribute("data-can-watch", room.watchable.length > 0);
    if (!isOn) return;
    const { race } = room;
    const several = race.holes > 1;
    this.#parts["race-title"].textContent = several
      ? this.words.say("hole", race)
      : this.words.say("race", race);
    this.#showStanding();
    this.#showWatched();
  }

  #showStanding() {
    if (!this.#room.isRacing) return;
    this.standing.show(this.#room, this.board.watched);
  }

  #showWatched() {
    const { watched } = this.board;
    const seat = watched === null ? null : this.#room.seat(watched);
    this.#parts["watch-bar"].hidden = seat === null;
    if (seat) this.#parts["watch-name"].textContent = this.words.of(seat.name, "watching");
    this.#parts["own-board"].hidden = this.#room.you.game === null;
  }

  #showGathering() {
    const room = this.#room;
    this.#parts.gathering.hidden = room.isRacing;
    if (room.isRacing) return;
    this.seats.show(room);
    const { ready, start } = this.#parts;
    const { own } = room;
    if (!ready || !own) return;
    const again = room.last && !own.ready ? "be_ready_again" : "be_ready";
    ready.textContent = this.words.say(own.ready ? "be_not_ready" : again);
    ready.setAttribute("aria-pressed", String(own.ready));
    ready.classList.toggle("primary", !own.ready);
    const isAlone = room.seats.length < 2;
    ready.hidden = isAlone;
    start.hidden = !room.you.host;
    start.textContent = this.words.say(isAlone ? "try" : "start");
    this.#parts["start-text"].textContent = this.words.say(this.#waitingFor(isAlone, own));
  }

  #waitingFor(isAlone, own) {
    if (isAlone) return "wait_alone";
    if (this.#room.you.host) return "wait_ready_host";
    return own.ready ? "wait_others" : "wait_ready";
  }

  /** The standing between two holes, and the results of the race that is over. */
  #showResults() {
    const room = this.#room;
    const isBetween = room.phase === "between" && this.#parts.race.hidden;
    const isOver = !room.isRacing && room.last !== null;
    const { results } = this.#parts;
    const isShown = (isBetween || isOver) && room.placed.length > 0;
    const isNew = isShown && results.hidden;
    results.hidden = !isShown;
    if (!isShown) return;
    showResults(this.#parts["results-rows"], room, this.words);
    const title = isOver
      ? this.words.say("results")
      : this.words.say("after_hole", { ...room.race, hole: room.race.hole - 1 });
    this.#parts["results-title"].textContent = title;
    const lead = this.#ownPlace(isOver);
    this.#parts["results-lead"].textContent = lead;
    this.#parts["results-lead"].hidden = !lead;
    const link = this.#parts["results-link"];
    link.hidden = !isOver;
    link.dataset.address ??= link.getAttribute("href");
    if (isOver) link.href = link.dataset.address.replace("SLUG", room.last.slug);
    this.#parts["next-hole"].hidden = !isBetween;
    if (isNew) scrollTo({ top: 0 });
  }

  #showNotice() {
    const { notice } = this.#parts;
    const name = this.#noticeName();
    notice.hidden = !name;
    const text = name ? this.words.say(name) : "";
    if (notice.textContent !== text) notice.textContent = text;
  }

  #noticeName() {
    const { race, own, isRacing, phase } = this.#room;
    if (!isRacing) return "";
    if (phase === "between" && race.starts_at === null && this.#isLeftAlone) return "waiting_for_start";
    if (!own) return "watches_only";
    if (own.playing || phase === "between") return "";
    return race.hole < race.holes ? "is_late" : "is_late_last";
  }

  /** Whether the next hole waits for somebody to be there. */
  get #isLeftAlone() {
    return !this.#room.seats.some((seat) => seat.connected);
  }

  // The clocks ---------------------------------------------------------------------------------

  #countDown(seconds) {
    const { countdown, "next-hole-text": next } = this.#parts;
    const isBetween = this.#room.phase === "between";
    if (seconds !== null) next.textContent = this.words.count("starts_in", seconds);
    else next.textContent = this.words.say("starts_soon");
    const isCounting = seconds !== null && seconds > 0;
    if (isBetween && isCounting && seconds <= LAID_BEFORE && this.#parts.race.hidden) {
      this.#showStage();
      this.#showResults();
    }
    if (isCounting) countdown.textContent = String(seconds);
    else if (!countdown.hidden && seconds === 0) this.#sayGo();
    countdown.toggleAttribute("data-go", seconds === 0);
    countdown.hidden = !isCounting && !this.#go;
  }

  #sayGo() {
    this.#parts.countdown.textContent = this.words.say("go");
    this.#parts.countdown.hidden = false;
    clearTimeout(this.#go);
    this.#go = setTimeout(() => {
      this.#go = 0;
      this.#parts.countdown.hidden = true;
    }, GO_MS);
  }

  #showClosing(seconds) {
    this.#parts.clock.hidden = seconds === null;
    if (seconds === null) return;
    this.#parts["clock-name"].textContent = this.words.say("left_grace");
    this.#parts["clock-time"].textContent = clockText(seconds);
  }

  // What is said -------------------------------------------------------------------------------

  /** What is compared when something new is told. */
  #snapshot() {
    const { phase, race, seats } = this.#room;
    return {
      phase,
      hole: race?.hole,
      isLimited: Boolean(race?.limited),
      seats: new Map(seats.map((seat) => [seat.id, seat.name])),
      ended: new Set(seats.filter((seat) => this.#room.figures(seat).isFinal).map(({ id }) => id)),
    };
  }

  #tellChanges(before) {
    const { phase, race } = this.#room;
    if (phase === before.phase && race?.hole === before.hole) this.#tellSeats(before);
    else this.#tellPhase(before);
  }

  #tellPhase(before) {
    const { phase, race, you } = this.#room;
    if (race?.hole !== before.hole) this.board.choose(null);
    if (phase === "countdown" || (phase === "between" && this.countdown.left)) {
      const seconds = Math.ceil((this.countdown.left ?? 0) / 1000);
      this.talk.say(this.words.count("starts_in", seconds), { alone: phase === "countdown" });
    }
    if (phase === "countdown") this.#stageStarts();
    if (phase === "playing" && you.game) this.talk.say(this.words.say("go"), { alone: true });
    if (before.phase === "playing") this.#tellOver(phase === "between" ? "hole_over" : "race_over");
  }

  /** Whoever was in the list of seats comes to the board. */
  #stageStarts() {
    const { settings, remove } = this.#parts;
    for (const dialog of [settings, remove]) if (dialog.open) dialog.close();
    this.board.choose(null);
    this.#parts["board-part"].focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }

  #tellOver(name) {
    const said = [this.words.say(name), this.#ownPlace(name === "race_over")];
    this.talk.say(said.filter(Boolean).join(" "), { alone: true });
    if (name === "race_over") this.#parts.results.focus({ preventScroll: true });
  }

  /** The reader's own place in a sentence; nothing for who has none. */
  #ownPlace(isOver) {
    const { own } = this.#room;
    if (!own?.place) return "";
    const place = this.#room.placeText(own);
    const isAlone = this.#room.placed.length === 1;
    if (!isOver || own.place > 1 || isAlone) return isAlone ? "" : this.words.say("your_place", { place });
    return this.words.say(place === "1" ? "won" : "shared_first");
  }

  #tellSeats(before) {
    const now = new Map(this.#room.seats.map((seat) => [seat.id, seat.name]));
    for (const [id, name] of now) {
      if (!before.seats.has(id)) this.talk.say(this.words.say("came", { name }));
    }
    for (const [id, name] of before.seats) {
      if (!now.has(id)) this.talk.say(this.words.say("left", { name }));
    }
    const { race, seats } = this.#room;
    for (const seat of seats) {
      const { isFinal } = this.#room.figures(seat);
      if (isFinal && !before.ended.has(seat.id)) this.#tellEnded(seat);
    }
    if (race?.limited && !before.isLimited && this.closing.left !== null) {
      this.talk.say(this.words.count("grace_left", Math.ceil(this.closing.left / 1000)));
    }
  }

  #tellEnded(seat) {
    if (seat.id === this.#room.you.seat) return;
    const { isWon } = this.#room.figures(seat);
    this.talk.say(this.words.say(isWon ? "cleared" : "finished", { name: seat.name }));
  }

  #showEmote({ seat: id, emote }) {
    for (const place of this.querySelectorAll(`[data-seat="${Number(id)}"] .sign`)) {
      if (place.checkVisibility()) this.emotes.show(place, emote);
    }
    const seat = this.#room.seat(id);
    if (seat) this.talk.say(`${seat.name}: ${this.words.emote(emote)}`);
  }

  // What people do -----------------------------------------------------------------------------

  #setReady(ready) {
    this.#showProblem("");
    if (!this.line.send({ type: "ready", ready })) this.#showLine(this.words.say("down"));
  }

  #watch(seat) {
    this.board.choose(seat);
    this.#showStage();
    this.#parts["board-part"].focus();
    this.#parts["board-part"].scrollIntoView({ block: "nearest" });
  }

  #watchFirst() {
    const [first] = this.#room.watchable;
    if (first) this.#watch(first[0].id);
  }

  #askToRemove(seat) {
    const { remove, "remove-title": title, "remove-form": form } = this.#parts;
    title.textContent = this.words.of(seat.name, "remove_title");
    form.action = form.dataset.action.replace("/0/", `/${seat.id}/`);
    remove.showModal();
  }

  #removed(event) {
    if (event.submitter?.formMethod === "dialog") return;
    event.preventDefault();
    this.#parts.remove.close();
    this.#post(event.target);
  }

  #askToLeave(event) {
    if (!this.#room.isRacing || !this.#room.own?.playing) {
      this.#leave();
      return;
    }
    event.preventDefault();
    this.#parts["leave-dialog"].showModal();
  }

  /** The page is about to go: that the seat is lost must not load it again, which breaks that off. */
  #leave() {
    this.line.end();
  }

  // The settings -------------------------------------------------------------------------------

  async #openSettings(event) {
    event.preventDefault();
    const page = await fetchPage(this.#parts["settings-link"].href);
    const form = page?.querySelector('[data-part="room-form"]');
    if (!form) {
      this.#showProblem(this.words.say("failed"));
      return;
    }
    this.#parts["settings-form"].replaceChildren(document.adoptNode(form));
    this.#parts.settings.showModal();
  }

  async #keepSettings(event) {
    const form = event.target;
    if (form.method === "dialog") return;
    event.preventDefault();
    const page = await this.#post(form);
    const again = page?.querySelector('[data-part="room-form"]');
    if (again) {
      this.#parts["settings-form"].replaceChildren(document.adoptNode(again));
      this.#parts["settings-form"].querySelector('[aria-invalid="true"], .errors')?.scrollIntoView();
    } else this.#parts.settings.close();
  }

  /** Post a form without leaving the page. Returns the page that answers; what it says is shown. */
  async #post(form) {
    const page = await fetchPage(form.action, { method: "POST", body: new FormData(form) });
    const said = page?.querySelector(".messages")?.textContent.trim();
    this.#showProblem(page ? (said ?? "") : this.words.say("failed"));
    return page;
  }
}

/** Fetch a page of this site; null when the server is away. */
async function fetchPage(address, options = {}) {
  try {
    const response = await fetch(address, { credentials: "same-origin", ...options });
    return new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    return null;
  }
}

customElements.define("golf-room", GolfRoom);
