/**
 * <golf-lobby>: the list of public rooms, fetched again every few seconds while it is looked at.
 *
 *   data-list  the address of the list
 */

const EVERY_MS = 5_000;

class GolfLobby extends HTMLElement {
  #timer = 0;

  connectedCallback() {
    document.addEventListener("visibilitychange", () => this.#plan());
    this.#plan();
  }

  #plan(pause = EVERY_MS) {
    clearTimeout(this.#timer);
    if (document.visibilityState === "visible") this.#timer = setTimeout(() => this.#fetch(), pause);
  }

  async #fetch() {
    try {
      const response = await fetch(this.dataset.list, { credentials: "same-origin" });
      if (response.ok) this.#swap(await response.text());
    } catch {
      // The server is away: the next time comes.
    }
    this.#plan();
  }

  #swap(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    const list = page.querySelector('[data-part="list"]');
    const old = this.querySelector('[data-part="list"]');
    if (!list || list.innerHTML === old.innerHTML) return;
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    old.replaceWith(document.adoptNode(list));
    const href = focused?.getAttribute("href");
    if (href) this.querySelector(`a[href="${href}"]`)?.focus({ preventScroll: true });
  }
}

customElements.define("golf-lobby", GolfLobby);
