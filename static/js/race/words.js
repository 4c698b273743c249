/** What the page of a room says; as js/board/words.js, and with the names of players. */

import { Words, duration } from "../board/words.js";

/** A name keeps its own direction in a sentence of another. */
const ISOLATE = "\u2068";
const END_ISOLATE = "\u2069";

export { duration };

export class RoomWords extends Words {
  #data;

  constructor(data) {
    super(data, data.language);
    this.#data = data;
  }

  /** A sentence about a player, to be seen: the name keeps its direction. */
  of(name, sentence, parameters = {}) {
    return this.say(sentence, { ...parameters, name: ISOLATE + name + END_ISOLATE });
  }

  emote(name) {
    return this.#data.emotes[name];
  }

  ranking(name) {
    return this.#data.ranking[name];
  }

  /** The name of a rule set, by its spelling. */
  rules(text) {
    return this.#data.rules[text] ?? this.#data.rules[""];
  }

  /** Strokes, which below par have a minus sign. */
  number(value) {
    return value < 0 ? `−${-value}` : String(value);
  }
}

/** An element with a class and a text, or with children. */
export function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/** Figures are written from left to right, whatever surrounds them. */
export function figure(text) {
  const made = element("bdi", "", text);
  made.dir = "ltr";
  return made;
}
