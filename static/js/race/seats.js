/** The list of who is in the room while people gather. */

import { element } from "./words.js";

export class Seats {
  #list;
  #words;
  #remove;
  #rows = new Map();

  /** `remove` is called with a seat that the host wants to take away. */
  constructor(list, words, remove) {
    this.#list = list;
    this.#words = words;
    this.#remove = remove;
  }

  show(room) {
    const seats = room.seats;
    const ids = new Set(seats.map(({ id }) => id));
    for (const [id, row] of this.#rows) {
      if (ids.has(id)) continue;
      row.remove();
      this.#rows.delete(id);
    }
    for (const seat of seats) {
      const row = this.#rows.get(seat.id) ?? this.#add(seat);
      this.#fill(row, seat, room);
    }
  }

  #add(seat) {
    const row = element("li", "seat");
    row.dataset.seat = seat.id;
    row.append(element("span", "dot"), element("span", "seat-name"), element("span", "sign"));
    row.append(element("span", "seat-mark"));
    this.#rows.set(seat.id, row);
    this.#list.append(row);
    return row;
  }

  #fill(row, seat, room) {
    const words = this.#words;
    row.toggleAttribute("data-away", !seat.connected);
    row.toggleAttribute("data-ready", seat.ready);
    row.toggleAttribute("data-own", seat.id === room.you.seat);
    const name = element("bdi", "", seat.name);
    const badges = [];
    if (seat.id === room.you.seat) badges.push(element("span", "badge accent", words.say("you")));
    if (seat.id === room.host) badges.push(element("span", "badge", words.say("host")));
    if (seat.guest) badges.push(element("span", "badge", words.say("guest")));
    const notes = [];
    if (!seat.connected) notes.push(element("span", "", words.say("away")));
    if (seat.rating !== null) {
      const key = seat.provisional ? "rating_provisional" : "rating";
      notes.push(element("span", "", words.say(key, { rating: seat.rating })));
    }
    const note = element("span", "seat-note", ...notes);
    row.querySelector(".seat-name").replaceChildren(name, ...badges.flatMap((b) => [" ", b]), note);
    this.#mark(row.querySelector(".seat-mark"), seat, room);
  }

  #mark(part, seat, room) {
    const words = this.#words;
    const state = element("span", `badge ${seat.ready ? "live" : ""}`, words.say(seat.ready ? "ready" : "not_ready"));
    const mayRemove = room.you.host && seat.id !== room.you.seat && !room.isRacing;
    const button = part.querySelector("button") ?? this.#button(seat);
    button.setAttribute("aria-label", words.say("remove_name", { name: seat.name }));
    const hadFocus = document.activeElement === button;
    part.replaceChildren(state, ...(mayRemove ? [button] : []));
    if (hadFocus && mayRemove) button.focus();
  }

  #button(seat) {
    const button = element("button", "button quiet small", this.#words.say("remove"));
    button.type = "button";
    button.addEventListener("click", () => this.#remove(seat));
    return button;
  }
}
