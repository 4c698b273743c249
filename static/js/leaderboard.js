/**
 * <golf-leaderboard>: a leaderboard that stays up to date.
 *
 * The line only says which version there is (docs/protocol.md, `notice`); the page of the board is
 * fetched as a piece, the same for everybody, and the reader's own row is marked here. A notice
 * that is lost does no harm: the next one, or the one that opens the next socket, tells the same.
 *
 *   data-socket  the address of the room
 *   data-table   the address of the page of the board
 *   data-mine    the address of the reader's own place, where there is one
 *   data-row     the id of the reader's own row
 *   data-away    what to say while the connection is lost
 *   parts        status, scroll (the box of the table), mine, and a template: you
 */

import { Line } from "./line.js";

/** Everybody hears of a change at once; so much apart they come for it. */
const SPREAD_MS = 250;
const AWAY_MS = 3_000;
/** How often the version is asked for, in case a notice was lost. */
const ASK_MS = 20_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** A pause that grows with each try, at random between half of it and all. */
export function pauseBefore(attempt, random = Math.random()) {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  return longest * (0.5 + random / 2);
}

/** Fetch a piece of a page; null when the server is away. */
export async function fetchPiece(address) {
  try {
    const response = await fetch(address, { credentials: "same-origin" });
    if (!response.ok) return null;
    return new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    return null;
  }
}

/** Mark what differs from before in rows that have an id. */
export function markChanges(before, table) {
  for (const row of table.querySelectorAll("tr[id]")) {
    const was = before.get(row.id);
    if (was !== undefined && was !== row.textContent) row.classList.add("changed");
  }
}

/** The texts of the rows that have an id. */
export const textsOf = (table) =>
  new Map([...table.querySelectorAll("tr[id]")].map((row) => [row.id, row.textContent]));

class GolfLeaderboard extends HTMLElement {
  #line;
  #known = 0;
  #fetching = false;
  #refresh = 0;
  #away = 0;
  #failures = 0;
  #inSight = new IntersectionObserver((seen) => this.#see(seen), { rootMargin: "0px 0px -64px" });

  connectedCallback() {
    this.#known = this.#shown;
    this.#watch();
    this.#line = new Line(this.dataset.socket);
    this.#line.addEventListener("message", (event) => this.#hear(event.detail));
    this.#line.addEventListener("down", () => this.#down());
    setInterval(() => this.#line.send({ type: "state" }), ASK_MS);
  }

  #part(name) {
    return this.querySelector(`[data-part="${name}"]`);
  }

  get #page() {
    return this.querySelector("[data-version]");
  }

  get #shown() {
    return Number(this.#page.dataset.version);
  }

  // --- the line -----------------------------------------------------------------------------

  #hear(message) {
    clearTimeout(this.#away);
    this.#away = 0;
    this.#say("");
    if (message.type !== "notice" || !(message.version > this.#known)) return;
    this.#known = message.version;
    this.#refreshSoon();
  }

  #down() {
    this.#away ||= setTimeout(() => this.#say(this.dataset.away), AWAY_MS);
  }

  #say(text) {
    const status = this.#part("status");
    if (status.textContent !== text) status.textContent = text;
    status.hidden = !text;
  }

  // --- the board ----------------------------------------------------------------------------

  #refreshSoon(pause = Math.random() * SPREAD_MS) {
    if (this.#fetching || this.#refresh) return;
    this.#refresh = setTimeout(() => this.#fetch(), pause);
  }

  async #fetch() {
    this.#refresh = 0;
    this.#fetching = true;
    const [page, mine] = await Promise.all([
      fetchPiece(this.dataset.table),
      this.dataset.mine && fetchPiece(this.dataset.mine),
    ]);
    this.#fetching = false;
    if (page) this.#swap(page.querySelector("[data-version]"));
    if (mine) this.#part("mine").replaceChildren(...mine.body.children);
    this.#watch();
    if (this.#known <= this.#shown) {
      this.#failures = 0;
    } else if (this.isConnected) {
      // Something newer came in the meantime, or nothing came at all.
      this.#failures += 1;
      this.#refreshSoon(pauseBefore(this.#failures));
    }
  }

  #swap(page) {
    const old = this.#page;
    if (page === null || Number(page.dataset.version) < this.#shown) return;
    if (page.dataset.phase !== old.dataset.phase) {
      // It has opened, closed or been revealed: what stands around the table has changed too.
      window.location.reload();
      return;
    }
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    const before = textsOf(old);
    const scrolled = this.#part("scroll")?.scrollLeft ?? 0;
    const own = this.dataset.row && page.querySelector(`#${this.dataset.row}`);
    if (own) {
      own.classList.add("me");
      own.querySelector(".name").after(" ", this.#part("you").content.cloneNode(true));
    }
    old.replaceWith(document.adoptNode(page));
    const box = this.#part("scroll");
    if (box) box.scrollLeft = scrolled;
    markChanges(before, page);
    if (focused) this.#focus(page, focused);
  }

  #focus(page, focused) {
    const href = focused.getAttribute("href");
    const same = [...page.querySelectorAll("a[href]")].find((a) => a.getAttribute("href") === href);
    (same ?? this.#part("scroll"))?.focus({ preventScroll: true });
  }

  // --- the reader's own row -----------------------------------------------------------------

  /** The own place is told at the foot of the window, unless the row itself is in sight. */
  #watch() {
    this.#inSight.disconnect();
    const row = this.dataset.row && document.getElementById(this.dataset.row);
    if (row) this.#inSight.observe(row);
    else this.#part("mine").hidden = false;
  }

  #see(seen) {
    this.#part("mine").hidden = seen.at(-1).isIntersecting;
  }
}

customElements.define("golf-leaderboard", GolfLeaderboard);
