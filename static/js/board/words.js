/** What the board says: sentences of the page's language, which come with the page. */

/** Left to right whatever surrounds it: a rank of digits has no direction of its own. */
const ISOLATE = "\u2066";
const END_ISOLATE = "\u2069";
const TEXT_STYLE = "\uFE0E";
const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const JOKER = "★";

export class Words {
  #data;
  #either;
  #all;
  #language;

  constructor(data, language) {
    this.#data = data;
    this.#language = language;
    this.#either = new Intl.ListFormat(language, { type: "disjunction" });
    this.#all = new Intl.ListFormat(language, { type: "conjunction" });
  }

  /** A sentence with its parameters filled in. */
  say(name, parameters = {}) {
    return fill(this.#data.say[name], parameters);
  }

  has(name) {
    return name in this.#data.say;
  }

  /** A sentence whose form the number `n` decides. */
  count(name, n, parameters = {}) {
    const { forms, of } = this.#data.counted[name];
    // Beyond the numbers that came with the page the last two digits decide.
    return fill(forms[Number(of[n] ?? of[100 + (n % 100)])], { ...parameters, n });
  }

  /** `7 of clubs` */
  card(card) {
    return this.#data.cards[card];
  }

  /** `7♣`, kept together and in its own direction. */
  short(card) {
    const text = card === "*" ? JOKER : this.index(card) + SUITS[card[1]] + TEXT_STYLE;
    return ISOLATE + text + END_ISOLATE;
  }

  /** What stands in the corner of a card. */
  index(card) {
    return this.#data.ranks[card[0]];
  }

  /** `a 6 or an 8` */
  ranks(ranks) {
    return this.#either.format(ranks.map((rank) => this.#data.onto[rank]));
  }

  /** `6♥ and 7♠` */
  cards(cards, name) {
    return this.#all.format(cards.map(name));
  }

  /** A position as a paragraph, for those who cannot see it. */
  board({ columns, stock, waste }) {
    const described = columns.map((cards, index) => this.#column(cards, index + 1));
    return this.say("board", {
      stock: this.count("stock_cards", stock),
      waste: waste ? this.card(waste) : this.say("board_waste_empty"),
      columns: capital(described.join(this.say("between_columns")), this.#language),
    });
  }

  #column(cards, column) {
    if (!cards.length) return this.say("board_column_empty", { column });
    const names = cards.map((card) => this.card(card));
    const listed = names.join(this.say("between_cards"));
    return this.say("board_column", { column, cards: listed, free: names.at(-1) });
  }

  /** Strokes against par: `E`, `+3`, `−2`. */
  toPar(number) {
    if (number === 0) return this.#data.level;
    return number > 0 ? `+${number}` : `−${-number}`;
  }
}

function fill(sentence, parameters) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => parameters[name]);
}

/** `2:05`, or `1:02:05` */
export function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = two(seconds % 60);
  return hours ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** The first letter of a sentence that starts with a card's name. */
export function capital(sentence, language) {
  return sentence.charAt(0).toLocaleUpperCase(language) + sentence.slice(1);
}
