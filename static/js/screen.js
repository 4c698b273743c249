/**
 * <golf-screen>: a leaderboard for a room, that turns its pages and never stops.
 *
 * Pages are fetched one by one and kept, so that a screen whose line is down goes on turning what
 * it has read last. A new version is shown within a second.
 *
 *   data-socket   the address of the room
 *   data-rows     the address of the first page
 *   data-seconds  for how long a page is shown
 */

import { fetchPiece, markChanges, pauseBefore, textsOf } from "./leaderboard.js";
import { Line } from "./line.js";

const AWAY_MS = 3_000;
const ASK_MS = 20_000;
const SPREAD_MS = 250;

class GolfScreen extends HTMLElement {
  #line;
  #kept = new Map();
  #known = 0;
  #away = 0;
  #again = 0;
  #failures = 0;

  connectedCallback() {
    const page = this.#page;
    this.#known = Number(page.dataset.version);
    this.#keep(page);
    this.#line = new Line(this.dataset.socket);
    this.#line.addEventListener("message", ({ detail }) => this.#hear(detail));
    this.#line.addEventListener("down", () => {
      this.#away ||= setTimeout(() => this.#setAway(true), AWAY_MS);
    });
    setInterval(() => this.#line.send({ type: "state" }), ASK_MS);
    setInterval(() => this.#turn(), Number(this.dataset.seconds) * 1000);
  }

  get #page() {
    return this.querySelector("[data-version]");
  }

  #keep(page) {
    this.#kept.set(Number(page.dataset.page), page.cloneNode(true));
  }

  #setAway(isAway) {
    document.querySelector('[data-part="away"]').hidden = !isAway;
  }

  #hear(message) {
    clearTimeout(this.#away);
    this.#away = 0;
    this.#setAway(false);
    if (message.type !== "notice" || !(message.version > this.#known)) return;
    this.#known = message.version;
    this.#refreshSoon(Math.random() * SPREAD_MS);
  }

  #refreshSoon(pause) {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#refresh(), pause);
  }

  async #refresh() {
    await this.#show(Number(this.#page.dataset.page));
    if (Number(this.#page.dataset.version) >= this.#known) {
      this.#failures = 0;
      return;
    }
    this.#failures += 1;
    this.#refreshSoon(pauseBefore(this.#failures));
  }

  #turn() {
    const { page, pages } = this.#page.dataset;
    if (Number(pages) > 1) this.#show((Number(page) % Number(pages)) + 1);
  }

  /** Show a page as it is now, or as it was read last. */
  async #show(number) {
    const address = new URL(this.dataset.rows, window.location.href);
    address.searchParams.set("page", number);
    const fetched = (await fetchPiece(address))?.querySelector("[data-version]");
    if (fetched) this.#keep(fetched);
    const page = fetched ?? this.#kept.get(number)?.cloneNode(true);
    if (!page) return;
    const old = this.#page;
    const isSame = old.dataset.page === page.dataset.page;
    const before = textsOf(old);
    this.replaceChildren(document.adoptNode(page));
    if (isSame) markChanges(before, page);
    else page.classList.add("turned");
    this.#forget(Number(page.dataset.pages));
  }

  /** Pages that there are no more are not shown again. */
  #forget(pages) {
    for (const number of this.#kept.keys()) if (number > pages) this.#kept.delete(number);
  }
}

customElements.define("golf-screen", GolfScreen);
