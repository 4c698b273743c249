/** The signs that seats show each other: a fixed set, for a moment beside the name. */

import { element } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
/** How long a sign is shown, and how long the menu rests after one was sent, in ms. */
const SHOWN = 4_000;
const REST = 2_000;

export class Emotes {
  #menu;
  #words;
  #timers = new Map();

  /** `send` is called with the name of a sign. */
  constructor(menu, words, send) {
    this.#menu = menu;
    this.#words = words;
    menu?.addEventListener("click", ({ target }) => {
      const button = target.closest("[data-emote]");
      if (!button) return;
      send(button.dataset.emote);
      this.#rest();
    });
    menu?.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      event.preventDefault();
      this.#close();
    });
    document.addEventListener("pointerdown", ({ target }) => {
      if (menu?.open && !menu.contains(target)) menu.open = false;
    });
  }

  /** Show a sign in a place beside a name, for a moment. */
  show(place, name) {
    if (!place) return;
    clearTimeout(this.#timers.get(place));
    place.replaceChildren(this.#draw(name));
    this.#timers.set(place, setTimeout(() => place.replaceChildren(), SHOWN));
  }

  #draw(name) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "emote");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", this.#words.emote(name));
    const use = document.createElementNS(SVG, "use");
    use.setAttribute("href", `#emote-${name}`);
    svg.append(use);
    return element("span", "sign-shown", svg);
  }

  /** One sign after the other: whoever sends many at once is not heard. */
  #rest() {
    this.#close();
    const buttons = this.#menu.querySelectorAll("[data-emote]");
    for (const button of buttons) button.disabled = true;
    setTimeout(() => {
      for (const button of buttons) button.disabled = false;
    }, REST);
  }

  #close() {
    this.#menu.open = false;
    this.#menu.querySelector("summary").focus();
  }
}
