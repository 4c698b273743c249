/** The board of the room's page: the reader's own game, or somebody else's to look at. */

export class RaceBoard {
  #board;
  #own = null;
  #watched = null;
  /** The seat that the reader has chosen to watch; who chose nothing sees whoever is shown first. */
  #chosen = null;

  constructor(board) {
    this.#board = board;
  }

  /** The id of the seat that is watched, null while the own board, or none, is shown. */
  get watched() {
    return this.#watched?.seat ?? null;
  }

  /** Whether a board is shown at all. */
  get isShown() {
    return this.#own !== null || this.#watched !== null;
  }

  /** Watch a seat, null for the own board. */
  choose(seat) {
    this.#chosen = seat;
  }

  /**
   * Show what is to be seen now.
   * @param {string | null} own the reader's own game of the hole
   * @param {Array<[object, string]>} watchable seats with their games, those to be shown first first
   */
  show(own, watchable) {
    const chosen = this.#choice(own, watchable);
    if (chosen) this.#showOther(chosen);
    else if (own) this.#showOwn(own);
    else this.#end();
  }

  #choice(own, watchable) {
    const picked = watchable.find(([seat]) => seat.id === this.#chosen);
    if (picked) return picked;
    if (own) return null;
    // Whoever has no board of his own goes on with the one that he has before him.
    return watchable.find(([seat]) => seat.id === this.#watched?.seat) ?? watchable[0] ?? null;
  }

  #showOwn(own) {
    if (this.#own === own) return;
    this.#watched = null;
    this.#own = own;
    this.#board.play(`/ws/games/${own}/`);
  }

  #showOther([seat, game]) {
    this.#own = null;
    if (this.#watched?.game === game) return;
    this.#watched = { seat: seat.id, game };
    this.#board.watch(`/ws/watch/${game}/`);
  }

  #end() {
    if (!this.isShown) return;
    this.#own = null;
    this.#watched = null;
    this.#board.end();
  }
}
