/**
 * What the board shows: the server's last position, and the actions that it has not answered yet.
 *
 * No rule of the game is here. Whether a card fits is looked up in the server's table; what cannot
 * be foretold (a drawn card, an undo) is waited for; and the server's answer always wins.
 */

const isPlay = (action) => action >= "1" && action <= "7";

/** A position with its columns as lists. */
function unpack(position) {
  const columns = position.columns.map((text) => (text ? text.split(" ") : []));
  return { ...position, columns };
}

export class Model {
  opening = null;
  #base = null;
  /** Oldest first: {turn, action, row, probe, isSent}. A probe is expected to be refused. */
  #pending = [];

  get isReady() {
    return this.#base !== null;
  }

  /** The server's last position. */
  get base() {
    return this.#base;
  }

  /** Actions to send again after a lost connection; probes are not worth it. */
  get unanswered() {
    return this.#pending.filter((entry) => !entry.probe);
  }

  /**
   * The position to show, with `waiting`: the first action whose outcome only the server knows, or
   * null, and `nextTurn`: the turn that the next action answers.
   */
  get view() {
    const view = { ...this.#base, columns: this.#base.columns.map((cards) => [...cards]) };
    view.waiting = null;
    view.nextTurn = view.turn;
    for (const { turn, action, probe } of this.#pending) {
      if (probe || turn < this.#base.turn) continue;
      view.nextTurn = turn + 1;
      if (isPlay(action) && view.waiting === null) this.#foretell(view, Number(action) - 1);
      else view.waiting ??= action;
    }
    return view;
  }

  /** Whether a rank fits on what lies on the waste, by the server's table. */
  fits(card, waste) {
    return (this.opening.fits[waste?.[0] ?? ""] ?? "").includes(card[0]);
  }

  /** The rank characters on which a card goes, by the server's table. */
  goesOn(card) {
    const { fits, rules } = this.opening;
    const known = rules.jokers ? "A23456789TJQK*" : "A23456789TJQK";
    return [...known].filter((rank) => fits[rank]?.includes(card[0]));
  }

  /**
   * Take an action of the player. Returns the entry to send, or null when it has to wait for an
   * answer that decides what it would mean.
   */
  act(action, row) {
    const view = this.view;
    if (view.waiting && !(action === "u" && view.waiting === "u")) return null;
    const probe = !this.#isExpected(view, action, row);
    const entry = { turn: view.nextTurn, action, row, probe, isSent: false };
    this.#pending.push(entry);
    return entry;
  }

  /** Take back an entry that could not be sent. */
  forget(entry) {
    this.#pending = this.#pending.filter((other) => other !== entry);
  }

  takeOpening(message) {
    this.opening = message;
    this.#base = unpack(message.position);
    this.#pending = this.unanswered;
    for (const entry of this.#pending) entry.isSent = false;
  }

  /** Take `done`; false when it is older than what is known. */
  takeDone(message) {
    this.#answered(message);
    return this.#takePosition(message.position);
  }

  /** Take `refused`. Returns the entry that it answers, or null for one that is forgotten. */
  takeRefused(message) {
    const entry = this.#answered(message);
    // Whatever was to follow it was meant for a board that does not exist.
    if (entry && !entry.probe) this.#pending = [];
    this.#takePosition(message.position);
    return entry;
  }

  takeMoved(message) {
    return this.#takePosition(message.position);
  }

  #answered({ turn, action }) {
    const index = this.#pending.findIndex((e) => e.turn === turn && e.action === action);
    return index < 0 ? null : this.#pending.splice(index, 1)[0];
  }

  #takePosition(position) {
    if (position.turn < this.#base.turn) return false;
    this.#base = unpack(position);
    return true;
  }

  #isExpected(view, action, row) {
    if (view.final) return false;
    if (action === "u") return this.opening.undo;
    if (action === "h") return this.opening.hints;
    if (!isPlay(action)) return true;
    const cards = view.columns[Number(action) - 1];
    if (row !== undefined && row !== cards.length) return false;
    return view.legal.includes(action);
  }

  /** Play a column on the view: only what is counted, no score. */
  #foretell(view, index) {
    view.waste = view.columns[index].pop();
    view.cleared += 1;
    view.left -= 1;
    view.moves += 1;
    view.turn += 1;
    const plays = view.columns.map((cards, i) => {
      const fits = cards.length > 0 && this.fits(cards.at(-1), view.waste);
      return fits ? String(i + 1) : "";
    });
    // Whether a draw is allowed now is the server's to say.
    view.legal = plays.join("");
  }
}
