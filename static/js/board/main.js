/**
 * `<golf-board>`: one game, played over a socket. templates/components/board.html has its parts.
 *
 * A board without the attribute `data-socket` waits until the page calls `play` or `watch`, and can
 * be given one game after the other. It tells the page by the event `position`, whose detail has
 * the view that it shows and whether the server told it just now, and by the event `pause`, whose detail says whether the board is hidden.
 */

import { Line } from "../line.js";
import { dataOf, language } from "../page.js";
import { Figures } from "./figures.js";
import { Input } from "./input.js";
import { Model } from "./model.js";
import { moving, setSpeed } from "./motion.js";
import { foreseen, isRule, reason } from "./reasons.js";
import { Result } from "./result.js";
import { Settings } from "./settings.js";
import { setSound, sound } from "./sound.js";
import { Table } from "./table.js";
import { Talk } from "./talk.js";
import { Words, capital } from "./words.js";

const ASK_AGAIN = 2000;
/** So long, beyond the card's own motion, is what lies there seen before the next card is drawn. */
const BEFORE_DRAWING = 350;
const LONGEST_TIMER = 2 ** 31 - 1;
const isPlay = (action) => action >= "1" && action <= "7";

class GolfBoard extends HTMLElement {
  #model = new Model();
  #parts = {};
  #isDown = false;
  #isReading = false;
  #deadline = 0;
  #drawing = 0;
  /** What had the focus when the board was hidden; null while it is not. */
  #paused = null;

  connectedCallback() {
    for (const part of this.querySelectorAll("[data-part]")) this.#parts[part.dataset.part] = part;
    const words = new Words(dataOf("board-words"), language);
    this.words = words;
    this.talk = new Talk(this.#parts.talk, this.#parts.live);
    this.table = new Table(this.#parts.grid, words);
    this.figures = new Figures(this, words, Number(this.dataset.par), {
      now: () => this.line.now(),
      warn: () => this.#announce("last_minute"),
    });
    this.result = new Result(this, this.#parts, words, this.table);
    this.input = new Input(this, this.table, this.#act.bind(this), this.#command.bind(this));
    const known = dataOf("board-settings");
    const form = this.#parts["settings-form"];
    this.settings = new Settings(form, known, this.#applySettings.bind(this));
    this.#parts.repeat?.addEventListener("submit", (event) => this.#startOver(event));
    if (this.dataset.socket) this.play(this.dataset.socket);
  }

  /** Play the game of a socket's address. */
  play(path) {
    this.end();
    this.talk.show(this.words.say("connecting"));
    this.#open(path);
  }

  /** Look on at somebody else's game, which takes no move from here. */
  watch(path) {
    this.end();
    this.toggleAttribute("data-watching", true);
    this.#open(path);
  }

  /** Let go of the game, and lay the table for another one. */
  end() {
    if (!this.line) return;
    this.line.end();
    this.line = null;
    clearTimeout(this.#deadline);
    clearTimeout(this.#drawing);
    this.#model = new Model();
    this.#isDown = false;
    if (this.#isReading) this.#parts["read-out"].hidden = true;
    this.#isReading = false;
    for (const name of ["ready", "turn", "state"]) delete this.dataset[name];
    for (const name of ["data-ended", "data-watching"]) this.removeAttribute(name);
    for (const dialog of this.querySelectorAll("dialog[open]")) dialog.close();
    this.#banner("");
    this.talk.show("");
    this.figures.clear();
    this.result.clear();
    this.table.clear();
  }

  /** What is shown, null before anything is. */
  get position() {
    return this.#model.isReady ? this.#model.view : null;
  }

  // The line -----------------------------------------------------------------------------------

  #open(path) {
    this.line = new Line(path);
    this.line.addEventListener("message", ({ detail }) => this.#hear(detail));
    this.line.addEventListener("down", ({ detail }) => this.#down(detail));
    this.line.addEventListener("refused", ({ detail }) => this.#turnedAway(detail));
  }

  #hear(message) {
    if (message.type === "opening") this.#opened(message);
    else if (message.type === "waiting") this.talk.show("");
    else if (message.type === "watching") this.#watched(message);
    else if (message.type === "error") this.#failed(message.code);
    else if (!this.#model.isReady) return;
    else if (message.type === "done") this.#done(message);
    else if (message.type === "refused") this.#refused(message);
    else if (message.type === "moved") this.#moved(message);
    else if (message.type === "deadline") this.#deadlineMoved(message);
  }

  #opened(message) {
    const isFirst = !this.#model.isReady;
    const before = this.#model.base;
    this.line.setClock(message.now);
    this.#model.takeOpening(message);
    this.#allow(message);
    // Whatever was not answered is sent again: the server does nothing twice.
    this.#sendQueued();
    if (isFirst) this.talk.show("");
    else if (this.#isDown) this.talk.say(this.words.say("reconnected"));
    this.#isDown = false;
    this.#banner("");
    this.dataset.ready = "";
    this.#show({ isFresh: true, isMoving: !isFirst });
    this.#awaitDeadline(message.closes_at);
    // It may have ended meanwhile, by a deadline or on another device.
    if (before) this.#sayEnd(before, message.position);
  }

  /** One board may have games with undo and hints, and games without. */
  #allow({ undo, hints }) {
    for (const [name, isAllowed] of [["u", undo], ["h", hints]]) {
      for (const part of this.querySelectorAll(`.controls [data-do="${name}"], [data-key="${name}"]`)) {
        part.hidden = !isAllowed;
      }
    }
  }

  /** Somebody else's board, whole each time. */
  #watched(message) {
    const isFirst = !this.#model.isReady;
    this.line.setClock(message.now);
    this.#model.takeOpening(message);
    this.#isDown = false;
    this.#banner("");
    this.dataset.ready = "";
    this.#show({ isFresh: true, isMoving: !isFirst });
    this.figures.setDeadline(message.closes_at);
  }

  #deadlineMoved({ closes_at: closesAt }) {
    const before = this.#model.opening.closes_at;
    this.#model.opening.closes_at = closesAt;
    this.#awaitDeadline(closesAt);
    if (closesAt > before && !this.#model.base.final) this.#announce("more_time");
  }

  /** Show a sentence about the time, and say it. */
  #announce(name) {
    if (this.hasAttribute("data-watching")) return;
    this.talk.show(this.words.say(name), "hint");
    this.talk.say(this.words.say(name));
  }

  /** When the time is up the server ends the game; ask how it stands then. */
  #awaitDeadline(closesAt) {
    clearTimeout(this.#deadline);
    this.figures.setDeadline(closesAt);
    if (closesAt === null || this.#model.base.final) return;
    const pause = Math.max(0, closesAt - this.line.now()) + ASK_AGAIN;
    if (pause < LONGEST_TIMER) this.#deadline = setTimeout(() => this.#askState(), pause);
  }

  #askState() {
    this.line?.send({ type: "state" });
  }

  #down(why) {
    this.#isDown = true;
    if (why) this.#banner(this.words.say(why));
    else this.#sayDown();
  }

  #sayDown() {
    if (!this.#model.isReady) return;
    if (this.hasAttribute("data-watching")) {
      this.#banner(this.words.say("reconnecting_only"));
      return;
    }
    const waits = this.#model.view.waiting !== null;
    this.#banner(this.words.say(waits ? "reconnecting_wait" : "reconnecting"));
  }

  #turnedAway(why) {
    this.#banner(this.words.say(why), why === "not_logged_in" ? this.dataset.login : null);
    this.toggleAttribute("data-ended", true);
  }

  #failed(code) {
    const isKnown = code === "unavailable" || code === "throttled";
    this.#banner(this.words.say(isKnown ? code : "error"));
    setTimeout(() => this.#askState(), ASK_AGAIN);
  }

  #send(entry) {
    const { turn, action, row } = entry;
    entry.isSent = this.line.send({ type: "act", turn, action, row });
    return entry.isSent;
  }

  /**
   * Send the first of the actions that wait, each when the one before it stands: if the game has
   * gone on elsewhere, the first is refused, and none of the others is played on another board.
   */
  #sendQueued() {
    const [first] = this.#model.unanswered;
    if (first && !first.isSent) this.#send(first);
  }

  // Actions of this player ---------------------------------------------------------------------

  #act(action, row) {
    if (!this.#model.isReady || this.#paused) return;
    if (this.hasAttribute("data-ended") || this.hasAttribute("data-watching")) return;
    clearTimeout(this.#drawing);
    const before = this.#model.view;
    const entry = this.#model.act(action, row);
    if (!entry) {
      if (this.#isDown) this.#sayDown();
      return;
    }
    const isQueued = this.#model.unanswered.some((other) => other !== entry && !other.isSent);
    const isSent = !isQueued && this.#send(entry);
    if (entry.probe) {
      if (!isSent) this.#explainHere(entry, before);
      return;
    }
    this.talk.show("");
    this.#show({ isFresh: false });
    if (this.#isDown) this.#sayDown();
    if (!isPlay(action)) return;
    sound("play");
    this.#sayPlayed();
  }

  /** A player of practice may have the next card drawn when nothing fits; undo takes it back. */
  #drawSoon({ action, position }) {
    clearTimeout(this.#drawing);
    // Whoever takes a card back does not want it drawn again.
    if (!this.settings.get("auto_draw") || this.#isCompetition) return;
    if (position.legal !== "d" || !(isPlay(action) || action === "d")) return;
    this.#drawing = setTimeout(() => {
      const { waiting, turn } = this.#model.view;
      if (waiting === null && turn === position.turn) this.#act("d");
    }, moving() + BEFORE_DRAWING);
  }

  #sayPlayed() {
    const { left, waste } = this.#model.view;
    this.#say(this.words.count("played", left, { card: this.words.card(waste) }));
  }

  // Answers ------------------------------------------------------------------------------------

  #done(message) {
    const before = this.#model.base;
    const isNews = this.#model.takeDone(message);
    this.#sendQueued();
    this.#show({ isFresh: true });
    if (!isNews) return;
    const { action, hint, position } = message;
    if (hint) this.#hint(hint, position);
    else if (action === "d") this.#sayDrawn(position);
    else if (action === "u") this.#sayUndone(position);
    this.#sayEnd(before, position);
    this.#drawSoon(message);
  }

  #moved({ position }) {
    const before = this.#model.base;
    if (!this.#model.takeMoved({ position })) return;
    clearTimeout(this.#drawing);
    this.talk.show("");
    this.#show({ isFresh: true });
    if (position.waste && position.waste !== before.waste) {
      this.#say(this.words.say("elsewhere", { waste: this.words.card(position.waste) }));
    }
    this.#sayEnd(before, position);
  }

  #sayDrawn({ stock, waste }) {
    sound("draw");
    this.#say(this.words.count("drawn", stock, { card: this.words.card(waste) }));
  }

  #sayUndone({ waste }) {
    sound("undo");
    const name = waste ? "undone" : "undone_empty";
    this.#say(this.words.say(name, { waste: waste && this.words.card(waste) }));
  }

  #sayEnd(before, after) {
    if (after.state === "playing" || after.state === before.state) return;
    this.#pause(false);
    sound(after.state === "won" ? "won" : "over");
    this.#say(`${this.result.title(after)}. ${this.result.text(after)}`);
  }

  #hint(hint, position) {
    this.table.point(hint);
    const word = (name) => {
      if (hint === "d") return this.words.say("hint_draw");
      const card = position.columns[Number(hint) - 1].split(" ").at(-1);
      return this.words.say("hint_play", { card: name(card), column: hint });
    };
    this.#tell(word, "hint");
  }

  #refused(message) {
    const entry = this.#model.takeRefused(message);
    this.#show({ isFresh: true });
    if (entry) this.#explain(message.code, message.params, entry);
  }

  #explainHere(entry, view) {
    this.#model.forget(entry);
    const known = foreseen(view, entry.action, entry.row);
    if (known) this.#explain(known.code, known.params, entry);
  }

  #explain(code, params, { action, row }) {
    // Who plays without explanations knows the rules; anything else is news.
    if (isRule(code) && !this.settings.get("explain")) return;
    sound("refused");
    const by = { words: this.words, model: this.#model };
    this.#tell((name) => reason(code, params, { ...by, name }), "refusal");
    if (isPlay(action)) this.table.refuse(Number(action), row);
  }

  /** Show a sentence with short names of cards, and say it with long ones. */
  #tell(word, tone) {
    this.talk.show(capital(word((card) => this.words.short(card)), language), tone);
    this.#say(word((card) => this.words.card(card)));
  }

  #say(sentence) {
    this.talk.say(capital(sentence, language));
  }

  // What is shown ------------------------------------------------------------------------------

  /** `isFresh`: the figures were told by the server just now. */
  #show({ isFresh, isMoving = true }) {
    const view = this.#model.view;
    this.dataset.turn = view.turn;
    this.dataset.state = view.state;
    this.table.show(view, { isMoving });
    this.figures.show(view, { isFresh });
    if (!this.hasAttribute("data-watching")) {
      this.result.show(view, this.#model.opening, this.line.now());
    }
    if (this.#isReading) this.#parts["read-out"].textContent = this.words.board(view);
    this.dispatchEvent(new CustomEvent("position", { detail: { view, isFresh } }));
  }

  get #isCompetition() {
    return this.hasAttribute("data-competition");
  }

  #banner(text, url = null) {
    const { banner } = this.#parts;
    banner.hidden = !text;
    const link = document.createElement("a");
    if (url) link.href = url;
    link.textContent = text;
    banner.replaceChildren(url ? link : text);
  }

  // Commands that are no action ----------------------------------------------------------------

  #command(name, target) {
    target.closest?.("dialog")?.close();
    if (name === "u" || name === "h" || name === "g") this.#act(name);
    else if (name === "read") this.#read();
    else if (name === "settings" || name === "give-up") this.#parts[name].showModal();
    else if (name === "peek" || name === "result") this.result.peek(name === "peek");
    else if (name === "repeat") this.#parts.repeat?.requestSubmit();
    else if (name === "pause") this.#pause(!this.#paused);
    else if (name === "zen") this.settings.set("zen", !this.settings.get("zen"));
    else if (name === "leave" && this.settings.get("zen")) this.settings.set("zen", false);
  }

  /** Hide the board of a game of practice, or show it again; the game's clock goes on. */
  #pause(on) {
    const { cover } = this.#parts;
    if (!cover || on === Boolean(this.#paused)) return;
    if (on && (!this.#model.isReady || this.#model.view.state !== "playing")) return;
    if (on && this.#isReading) this.#read();
    const focused = this.#paused;
    this.#paused = on ? document.activeElement : null;
    this.toggleAttribute("data-paused", on);
    cover.hidden = !on;
    this.talk.show("");
    this.dispatchEvent(new CustomEvent("pause", { detail: on }));
    if (on) cover.querySelector("button").focus();
    else if (focused.checkVisibility()) focused.focus();
  }

  #startOver(event) {
    const view = this.#model.isReady ? this.#model.view : null;
    if (!view || view.final || view.turn === 0) return;
    event.preventDefault();
    this.#parts["start-over"].showModal();
  }

  /** Read the board out, and show the text, or put it away. */
  #read() {
    if (!this.#model.isReady || this.#paused) return;
    this.#isReading = !this.#isReading;
    const part = this.#parts["read-out"];
    part.hidden = !this.#isReading;
    if (!this.#isReading) return;
    part.textContent = this.words.board(this.#model.view);
    this.talk.say(part.textContent);
  }

  #applySettings(settings) {
    document.documentElement.dataset.theme = settings.theme;
    this.toggleAttribute("data-four-colours", settings.four_colours);
    this.toggleAttribute("data-big-cards", settings.big_cards);
    this.toggleAttribute("data-left-hand", settings.left_hand);
    this.toggleAttribute("data-no-clock", !settings.clock);
    this.toggleAttribute("data-numbers", settings.keys);
    this.toggleAttribute("data-zen", settings.zen);
    setSpeed(settings.motion);
    setSound(settings.sound);
    this.input.hasKeys = settings.keys;
    // Zen mode takes away what may have the focus.
    if (!document.activeElement.checkVisibility()) this.table.focus();
    this.table.showsPlayable = settings.show_playable && !this.#isCompetition;
    if (this.#model.isReady) this.table.show(this.#model.view, { isMoving: false });
  }
}

customElements.define("golf-board", GolfBoard);

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.copied;
  });
}
