/**
 * What is known of a room: its state, what of it is the reader's own, and the progress since.
 *
 * docs/protocol.md has the messages `room`, `you` and `progress`. Nothing here touches the page.
 */

/** The places in a row of figures. */
const LEFT = 0;
const STOCK = 1;
const STREAK = 2;
const STROKES = 3;
const BELOW_PAR = 4;
const APP_SCORE = 5;
const FINAL = 6;
const MS = 7;
const CARDS = 35;

export class Room {
  #state = null;
  /** Seats in order, by id; their rows and places are those of the last progress. */
  #seats = new Map();
  #you = { seat: null, host: false, game: null, can_watch: false, watch: {} };

  get isReady() {
    return this.#state !== null;
  }

  get phase() {
    return this.#state.phase;
  }

  get race() {
    return this.#state.race;
  }

  get last() {
    return this.#state.last;
  }

  get settings() {
    return this.#state.settings;
  }

  get you() {
    return this.#you;
  }

  get host() {
    return this.#state.host;
  }

  /** The reader's own seat, null without one. */
  get own() {
    return this.#seats.get(this.#you.seat) ?? null;
  }

  /** All seats, by when they were taken. */
  get seats() {
    return [...this.#seats.values()];
  }

  seat(id) {
    return this.#seats.get(Number(id)) ?? null;
  }

  /** Whether a race is under way, or about to start. */
  get isRacing() {
    return this.phase === "countdown" || this.phase === "playing" || this.phase === "between";
  }

  /** Take the whole state; false for one that is older than what is known. */
  takeState(state) {
    if (this.#state && state.version < this.#state.version) return false;
    this.#state = state;
    const isOver = state.phase !== "playing";
    this.#seats = new Map(
      state.seats.map((seat) => [
        seat.id,
        // The totals have the hole in progress in them as soon as it is over for the seat.
        { ...seat, isCounted: isOver || Boolean(seat.row?.[FINAL]) },
      ]),
    );
    return true;
  }

  takeYou(you) {
    this.#you = you;
  }

  /** Take in what has gone on. Returns the seats whose hole has ended by it. */
  takeProgress({ rows, places }) {
    const ended = [];
    for (const [id, row] of Object.entries(rows)) {
      const seat = this.#seats.get(Number(id));
      if (!seat) continue;
      if (row[FINAL] && !seat.row?.[FINAL]) ended.push(seat);
      seat.row = row;
    }
    for (const [id, place] of Object.entries(places)) {
      const seat = this.#seats.get(Number(id));
      if (seat) seat.place = place;
    }
    return ended;
  }

  /** Those who race, the best first, and then those who wait for the next hole. */
  get standing() {
    const at = (seat) => seat.place ?? Infinity;
    return this.seats.sort(
      (one, other) => at(one) - at(other) || one.name.localeCompare(other.name) || one.id - other.id,
    );
  }

  /** Those who have a place; the results of a race. */
  get placed() {
    return this.standing.filter((seat) => seat.place !== null);
  }

  /** A place as it is written, with a T where it is shared. */
  placeText({ place }) {
    if (place === null) return "–";
    return this.seats.filter((seat) => seat.place === place).length > 1 ? `T${place}` : `${place}`;
  }

  /** The figures of a seat now, with those of the hole in progress. */
  figures(seat) {
    const { row, isCounted } = seat;
    const adds = row !== null && !isCounted;
    const isBelow = this.settings.strokes_kind === "below_par";
    return {
      left: row?.[LEFT] ?? null,
      cleared: row ? CARDS - row[LEFT] : 0,
      stock: row?.[STOCK] ?? null,
      streak: row?.[STREAK] ?? null,
      strokes: seat.strokes + (adds ? row[isBelow ? BELOW_PAR : STROKES] : 0),
      appScore: seat.app_score + (adds ? row[APP_SCORE] : 0),
      time: seat.time + (adds ? row[MS] : 0),
      isFinal: Boolean(row?.[FINAL]),
      isWon: Boolean(row?.[FINAL]) && row[LEFT] === 0,
    };
  }

  /** The games that may be watched now, as [seat, public id], those that go on first. */
  get watchable() {
    if (!this.#you.can_watch) return [];
    const games = new Map(Object.entries(this.#you.watch));
    return this.standing
      .filter((seat) => games.has(String(seat.id)))
      .sort((one, other) => Number(this.figures(one).isFinal) - Number(this.figures(other).isFinal))
      .map((seat) => [seat, games.get(String(seat.id))]);
  }
}
