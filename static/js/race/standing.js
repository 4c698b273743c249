/** The standing of a race while it goes on: a row for each rival, and the strip for a phone. */

import { element, figure } from "./words.js";

const CARDS = 35;
/** Rows that glide to their new places; of a large field they jump. */
const MOST_GLIDING = 24;
const GLIDE_MS = 220;
const STRIP = 3;
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Standing {
  #list;
  #strip;
  #words;
  #watch;
  #rows = new Map();

  /** `watch` is called with the id of a seat whose board the reader wants to see. */
  constructor(list, strip, words, watch) {
    this.#list = list;
    this.#strip = strip;
    this.#words = words;
    this.#watch = watch;
  }

  /** Show all rows; `watched` is the seat whose board is shown. */
  show(room, watched) {
    const seats = room.standing;
    const ids = new Set(seats.map(({ id }) => id));
    for (const [id, row] of this.#rows) {
      if (ids.has(id)) continue;
      row.remove();
      this.#rows.delete(id);
    }
    const watchable = new Set(room.watchable.map(([seat]) => seat.id));
    for (const seat of seats) this.#fill(seat, room, watchable.has(seat.id), watched);
    this.#order(seats);
    this.#showStrip(room, seats);
  }

  #make(seat) {
    const row = element("li", "rival");
    row.dataset.seat = seat.id;
    const [place, name, sign, note] = ["rival-place", "rival-name", "sign", "rival-note"].map(
      (part) => element("span", part),
    );
    place.dir = "ltr";
    const strokes = this.#figure("strokes", "rival-strokes");
    const figures = ["cards", "stock", "streak"].map((part) => this.#figure(part, `rival-${part}`));
    const bar = element("span", "rival-bar");
    bar.ariaHidden = "true";
    row.append(place, name, sign, strokes, bar, element("span", "rival-figures", ...figures), note);
    this.#rows.set(seat.id, row);
    return row;
  }

  #figure(word, className) {
    const name = element("span", "figure-name", this.#words.say(word));
    return element("span", className, name, " ", figure(""));
  }

  #fill(seat, room, mayWatch, watched) {
    const row = this.#rows.get(seat.id) ?? this.#make(seat);
    const figures = room.figures(seat);
    const isIn = seat.place !== null || seat.playing;
    row.toggleAttribute("data-own", seat.id === room.you.seat);
    row.toggleAttribute("data-away", !seat.connected);
    row.toggleAttribute("data-final", figures.isFinal);
    row.toggleAttribute("data-won", figures.isWon);
    row.toggleAttribute("data-late", !isIn);
    row.toggleAttribute("data-watched", seat.id === watched);
    set(row.querySelector(".rival-place"), room.placeText(seat));
    this.#name(row.querySelector(".rival-name"), seat, room);
    const shown = { strokes: figures.strokes, cards: figures.left, stock: figures.stock, streak: figures.streak };
    for (const [name, value] of Object.entries(shown)) {
      const isKnown = isIn && value !== null;
      set(row.querySelector(`.rival-${name} bdi`), isKnown ? this.#words.number(value) : "–");
    }
    row.style.setProperty("--cleared", String(figures.cleared / CARDS));
    this.#note(row.querySelector(".rival-note"), seat, { figures, isIn, mayWatch, watched });
  }

  #name(part, seat, room) {
    const isOwn = seat.id === room.you.seat;
    const text = `${seat.name}\n${isOwn}`;
    if (part.dataset.shown === text) return;
    part.dataset.shown = text;
    const badge = isOwn ? [" ", element("span", "badge accent", this.#words.say("you"))] : [];
    part.replaceChildren(element("bdi", "", seat.name), ...badge);
  }

  #note(part, seat, { figures, isIn, mayWatch, watched }) {
    const marks = [];
    if (!isIn) marks.push("mark_late");
    else if (figures.isWon) marks.push("mark_won");
    else if (figures.isFinal) marks.push("mark_final");
    if (!seat.connected) marks.push("away");
    const canPress = mayWatch && seat.id !== watched;
    const text = `${marks}\n${canPress}\n${seat.name}`;
    if (part.dataset.shown === text) return;
    part.dataset.shown = text;
    const hadFocus = part.contains(document.activeElement);
    const badges = marks.map((mark) => element("span", BADGES[mark], this.#words.say(mark)));
    part.replaceChildren(...badges, ...(canPress ? [this.#button(seat)] : []));
    if (hadFocus) part.querySelector("button")?.focus();
  }

  #button(seat) {
    const button = element("button", "button small", this.#words.say("watch"));
    button.type = "button";
    button.setAttribute("aria-label", this.#words.say("watch_name", { name: seat.name }));
    button.addEventListener("click", () => this.#watch(seat.id));
    return button;
  }

  /** Bring the rows into their order, without moving those that stand right. */
  #order(seats) {
    const before = this.#places(seats);
    const focused = this.#list.contains(document.activeElement) ? document.activeElement : null;
    let isMoved = false;
    seats.forEach(({ id }, at) => {
      const row = this.#rows.get(id);
      if (this.#list.children[at] === row) return;
      this.#list.insertBefore(row, this.#list.children[at] ?? null);
      isMoved = true;
    });
    if (!isMoved) return;
    if (focused !== document.activeElement) focused?.focus({ preventScroll: true });
    for (const [row, was] of before) {
      const by = was - row.getBoundingClientRect().top;
      if (!by) continue;
      row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], {
        duration: GLIDE_MS,
        easing: "ease-out",
      });
    }
  }

  #places(seats) {
    const isGliding = seats.length <= MOST_GLIDING && !still.matches && this.#list.checkVisibility();
    if (!isGliding) return [];
    return [...this.#list.children].map((row) => [row, row.getBoundingClientRect().top]);
  }

  /** On a phone: who leads, who is just ahead, and the reader, in one line above the board. */
  #showStrip(room, seats) {
    const placed = seats.filter((seat) => seat.place !== null);
    const own = placed.findIndex((seat) => seat.id === room.you.seat);
    const chosen = new Set(own < 0 ? [0, 1, 2] : [0, own - 1, own, own + 1]);
    const shown = [...chosen]
      .filter((at) => placed[at])
      .sort((one, other) => one - other)
      .slice(own > 1 ? -STRIP - 1 : 0)
      .slice(0, STRIP);
    const chips = shown.map((at) => this.#chip(placed[at], room));
    if (this.#strip.textContent !== chips.map((chip) => chip.textContent).join("")) {
      this.#strip.replaceChildren(...chips);
    }
  }

  #chip(seat, room) {
    const { left, isFinal } = room.figures(seat);
    const chip = element("span", "chip");
    chip.toggleAttribute("data-own", seat.id === room.you.seat);
    chip.toggleAttribute("data-final", isFinal);
    const name = element("bdi", "chip-name", seat.name);
    chip.append(element("b", "", figure(room.placeText(seat))), name, figure(left === null ? "–" : String(left)));
    return chip;
  }
}

const BADGES = {
  mark_won: "badge accent",
  mark_final: "badge",
  mark_late: "badge",
  away: "badge warning",
};

function set(part, text) {
  if (part.textContent !== text) part.textContent = text;
}
