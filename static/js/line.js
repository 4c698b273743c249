/**
 * A line to the server: a websocket that keeps itself up.
 *
 * It reconnects with growing, jittered pauses, pings, notices a line that has gone silent, and
 * keeps the difference between this clock and the server's. docs/protocol.md has the messages.
 *
 * Events: `message` (detail: the message), `up`, `down`, and `refused` (detail: the name of a
 * close code after which there is no use in trying again).
 */

const PING_EVERY = 15_000;
/** So far apart are the pings that measure the clock of a line that counts down by it. */
const MEASURE_EVERY = 150;
/** What rounding to whole ms may put between two of them. */
const ROUNDED = 2;
const SILENCE = 8_000;
const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 15_000;
const PAUSE_AFTER_TOO_MANY = 10_000;
const FINAL_CODES = {
  4401: "not_logged_in",
  4403: "forbidden",
  4404: "not_found",
  4406: "damaged",
};
const NOT_LOGGED_IN = 4401;
const TOO_MANY = 4429;

export class Line extends EventTarget {
  #url;
  #socket = null;
  #attempts = 0;
  #retry = 0;
  #pings = 0;
  #silence = 0;
  #ended = false;
  #isLoggedOut = false;
  #bestTrip = Infinity;
  #offset = 0;
  #measured = 0;
  #measure;
  #listening = new AbortController();

  /**
   * @param {string} path the address on this site, such as `/ws/games/abc/`
   * @param {{measure?: number}} options `measure`: pings in a row that tell the server's clock, of
   *   which the one counts that came back soonest
   */
  constructor(path, { measure = 1 } = {}) {
    super();
    this.#measure = measure;
    this.#url = new URL(path, location.href);
    this.#url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const { signal } = this.#listening;
    addEventListener("online", () => this.#hurry(), { signal });
    addEventListener("offline", () => this.#lost(), { signal });
    addEventListener("pagehide", () => this.#drop(), { signal });
    addEventListener("pageshow", (event) => event.persisted && this.#hurry(), { signal });
    const seen = () => document.visibilityState === "visible" && this.#hurry();
    document.addEventListener("visibilitychange", seen, { signal });
    this.#connect();
  }

  /** Hang up for good. */
  end() {
    this.#ended = true;
    clearTimeout(this.#retry);
    this.#listening.abort();
    this.#drop();
  }

  get isUp() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** The server's clock now, in ms since 1970. */
  now() {
    return Date.now() + this.#offset;
  }

  /** Tell what the server's clock showed when something was sent just now. */
  setClock(serverNow) {
    if (this.#bestTrip === Infinity) this.#offset = serverNow - Date.now();
  }

  /** Send a message; false when the line is down. */
  send(message) {
    if (!this.isUp) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  #connect() {
    clearTimeout(this.#retry);
    this.#drop();
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    // A connection that neither opens nor fails is given up like one that has gone silent.
    this.#silence = setTimeout(() => this.#lost(), SILENCE);
    socket.onopen = () => {
      clearTimeout(this.#silence);
      this.#pings = setInterval(() => this.#ping(), PING_EVERY);
      this.#measured = 0;
      this.#ping();
      this.dispatchEvent(new Event("up"));
    };
    socket.onmessage = (event) => this.#hear(event.data);
    socket.onclose = (event) => this.#lost(event.code);
  }

  #hear(data) {
    clearTimeout(this.#silence);
    this.#silence = 0;
    this.#attempts = 0;
    this.#isLoggedOut = false;
    const message = JSON.parse(data);
    if (message.type === "pong") this.#setClockBy(message);
    else this.dispatchEvent(new CustomEvent("message", { detail: message }));
  }

  #ping() {
    if (!this.send({ type: "ping", at: Date.now() })) return;
    this.#silence ||= setTimeout(() => this.#lost(), SILENCE);
  }

  #setClockBy({ at, now }) {
    const trip = Date.now() - at;
    this.#measured += 1;
    if (this.#measured < this.#measure) setTimeout(() => this.#ping(), MEASURE_EVERY);
    const offset = now - (at + trip / 2);
    // A trip tells the clock but for its half, and both clocks for whole ms. Where two contradict
    // each other, this computer's clock was set meanwhile.
    const wasSet = Math.abs(offset - this.#offset) > (trip + this.#bestTrip) / 2 + ROUNDED;
    if (trip < 0 || (trip > this.#bestTrip && !wasSet)) return;
    this.#bestTrip = trip;
    this.#offset = offset;
  }

  /** Let go of the socket without a word. */
  #drop() {
    clearInterval(this.#pings);
    clearTimeout(this.#silence);
    this.#silence = 0;
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #lost(code = 0) {
    if (this.#ended) return;
    this.#drop();
    // A session that was renewed (a new password) has a new cookie: try once more with it.
    const isRenewed = code === NOT_LOGGED_IN && !this.#isLoggedOut;
    this.#isLoggedOut = isRenewed;
    if (code in FINAL_CODES && !isRenewed) {
      this.#ended = true;
      this.dispatchEvent(new CustomEvent("refused", { detail: FINAL_CODES[code] }));
      return;
    }
    clearTimeout(this.#retry);
    const growing = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#attempts);
    const pause = code === TOO_MANY ? PAUSE_AFTER_TOO_MANY : growing;
    this.#attempts += 1;
    this.#retry = setTimeout(() => this.#connect(), pause * (0.5 + Math.random() / 2));
    this.dispatchEvent(new CustomEvent("down", { detail: code === TOO_MANY ? "too_many" : null }));
  }

  /** The page is seen again, or the network is back: do not wait for the next attempt. */
  #hurry() {
    if (this.#ended) return;
    if (this.isUp) {
      this.#ping();
      // Another tab or device may have gone on meanwhile.
      this.send({ type: "state" });
    } else if (this.#socket?.readyState !== WebSocket.CONNECTING) this.#connect();
  }
}
