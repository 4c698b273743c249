/*
 * <golf-leaderboard>: a leaderboard that stays up to date.
 *
 * The socket only says which version there is (docs/protocol.md, `notice`); the table itself is
 * fetched as a piece of the page. A notice that is lost does no harm: the next one, or the one that
 * opens the next socket, tells the same. Texts come from the page.
 *
 *   data-socket  the address of the room
 *   data-table   the address of the table
 *   data-away    what to say while the connection is lost
 *   parts        data-part="status" and data-part="scroll", which holds the table
 */

const PING_MS = 15_000;
const SILENT_MS = 40_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Everybody hears of a change at once; so much apart they come for it. */
const SPREAD_MS = 250;
const AWAY_MS = 3_000;
/** Close codes after which coming back is no use: forbidden, not found. */
const FINAL_CODES = new Set([4403, 4404]);
/** Too many sockets: come back late. */
const TOO_MANY = 4429;

/** A pause that grows with each try, at random between half of it and all. */
export function pauseBefore(attempt, random = Math.random()) {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  return longest * (0.5 + random / 2);
}

class GolfLeaderboard extends HTMLElement {
  #socket = null;
  #attempt = 0;
  #known = 0;
  #fetching = false;
  #timers = new Map();
  #heard = 0;
  #failures = 0;

  connectedCallback() {
    this.#known = this.#shown;
    document.addEventListener("visibilitychange", this);
    window.addEventListener("pageshow", this);
    this.#connect();
  }

  disconnectedCallback() {
    document.removeEventListener("visibilitychange", this);
    window.removeEventListener("pageshow", this);
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#socket?.close();
    this.#socket = null;
  }

  handleEvent() {
    if (document.visibilityState !== "visible") return;
    // A tab that slept may have missed anything, and its socket may be dead without knowing.
    if (this.#socket?.readyState === WebSocket.OPEN) this.#send({ type: "state" });
    else if (this.#socket === null) this.#connect();
  }

  get #scroll() {
    return this.querySelector('[data-part="scroll"]');
  }

  get #shown() {
    return Number(this.#scroll.querySelector("[data-version]").dataset.version);
  }

  // --- the socket ---------------------------------------------------------------------------

  #connect() {
    this.#stop("connect");
    const url = new URL(this.dataset.socket, window.location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.addEventListener("message", (event) => {
      if (socket === this.#socket) this.#hear(event.data);
    });
    socket.addEventListener("close", (event) => {
      if (socket === this.#socket) this.#lost(event.code);
    });
    this.#heard = Date.now();
    this.#start("ping", PING_MS, () => this.#ping());
  }

  #hear(text) {
    this.#heard = Date.now();
    this.#attempt = 0;
    this.#stop("away");
    this.#say("");
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (message.type !== "notice" || !(message.version > this.#known)) return;
    this.#known = message.version;
    this.#refreshSoon();
  }

  #ping() {
    if (Date.now() - this.#heard > SILENT_MS) {
      // Nothing has answered for so long that the line is dead, whatever the browser believes.
      const socket = this.#socket;
      this.#lost(1006);
      socket.close();
      return;
    }
    // Asked for the version again and again: a notice may have been lost, and it is a sign of life.
    this.#send({ type: "state" });
    this.#start("ping", PING_MS, () => this.#ping());
  }

  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #lost(code) {
    this.#socket = null;
    this.#stop("ping");
    if (!this.#timers.has("away")) {
      this.#start("away", AWAY_MS, () => this.#say(this.dataset.away));
    }
    if (FINAL_CODES.has(code)) return;
    if (code === TOO_MANY) this.#attempt = Math.max(this.#attempt, 5);
    this.#start("connect", pauseBefore(this.#attempt), () => this.#connect());
    this.#attempt += 1;
  }

  #say(text) {
    const status = this.querySelector('[data-part="status"]');
    if (status.textContent !== text) status.textContent = text;
    status.hidden = !text;
  }

  // --- the table ----------------------------------------------------------------------------

  #refreshSoon(pause = Math.random() * SPREAD_MS) {
    if (this.#fetching || this.#timers.has("refresh")) return;
    this.#start("refresh", pause, () => this.#refresh());
  }

  async #refresh() {
    this.#fetching = true;
    try {
      const response = await fetch(this.dataset.table, { credentials: "same-origin" });
      if (response.ok) this.#swap(await response.text());
    } catch {
      // The server is away; the socket says so, and the next try comes below.
    } finally {
      this.#fetching = false;
    }
    if (this.#known <= this.#shown) {
      this.#failures = 0;
    } else if (this.isConnected) {
      // Something newer came in the meantime, or nothing came at all.
      this.#failures += 1;
      this.#refreshSoon(pauseBefore(this.#failures));
    }
  }

  #swap(html) {
    const fetched = new DOMParser().parseFromString(html, "text/html");
    const table = fetched.querySelector("[data-version]");
    const old = this.#scroll.querySelector("[data-version]");
    if (table === null || Number(table.dataset.version) < this.#shown) return;
    if (table.dataset.phase !== old.dataset.phase) {
      // It has opened or closed: what stands around the table has changed too.
      window.location.reload();
      return;
    }
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    const href = focused?.getAttribute("href");
    const before = new Map([...old.querySelectorAll("tr[id]")].map((row) => [row.id, row.textContent]));
    // The box around the table stays, and with it how far it is scrolled.
    old.replaceWith(document.adoptNode(table));
    for (const row of table.querySelectorAll("tr[id]")) {
      if (before.get(row.id) !== row.textContent) row.classList.add("changed");
    }
    if (!href) return;
    const same = [...table.querySelectorAll("a[href]")].find((a) => a.getAttribute("href") === href);
    (same ?? this.#scroll).focus({ preventScroll: true });
  }

  // --- timers -------------------------------------------------------------------------------

  #start(name, ms, action) {
    this.#stop(name);
    const timer = setTimeout(() => {
      this.#timers.delete(name);
      action();
    }, ms);
    this.#timers.set(name, timer);
  }

  #stop(name) {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }
}

customElements.define("golf-leaderboard", GolfLeaderboard);
