/** Why something was refused, in the words of the page. */

/**
 * @param {string} code of docs/protocol.md
 * @param {object} params what the server says with it
 * @param {object} by `words`, `model`, and `name`: how to name a card
 * @returns {string} a sentence, or an empty text for a code that this page does not know
 */
export function reason(code, params, { words, model, name }) {
  if (!words.has(code)) return "";
  const say = WORDED[code];
  return say ? say(params, words, name, model) : words.say(code, params);
}

/** The refusals that teach a rule: what a player who knows the rules may do without. */
const RULES = new Set([
  "not_adjacent", "covered", "king_blocks", "must_play", "stock_empty", "empty_column",
  "no_such_column",
]);

export function isRule(code) {
  return RULES.has(code);
}

const WORDED = {
  not_adjacent({ card, waste }, words, name, model) {
    const ranks = words.ranks(model.goesOn(card));
    return words.say("not_adjacent", { card: name(card), ranks, waste: name(waste) });
  },
  covered({ card, by }, words, name) {
    return words.say("covered", { card: name(card), by: words.cards(by, name) });
  },
  king_blocks({ card, fits }, words, name) {
    return words.say(fits.length ? "king_blocks_ace" : "king_blocks", { card: name(card) });
  },
};

/**
 * What the server would say, as far as its table and the board tell: for a page that has no line.
 * @returns {{code: string, params: object} | null}
 */
export function foreseen(view, action, row) {
  const cards = view.columns[Number(action) - 1];
  if (!cards?.length) return null;
  const card = cards[(row ?? cards.length) - 1];
  const by = row === undefined ? [] : cards.slice(row);
  if (by.length) return { code: "covered", params: { card, by } };
  return view.waste ? { code: "not_adjacent", params: { card, waste: view.waste } } : null;
}
