/** The faces of cards, drawn by the page: a text index and the shapes of components/suits.html. */

const SVG = "http://www.w3.org/2000/svg";

function shape(suit, className) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 100 100");
  svg.setAttribute("aria-hidden", "true");
  if (className) svg.setAttribute("class", className);
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#suit-${suit}`);
  svg.append(use);
  return svg;
}

/** Draw a card into an element that has the class `card`; null draws its place. */
export function drawCard(element, card, words) {
  if ((element.dataset.card ?? "") === (card ?? "")) return;
  element.replaceChildren();
  if (card === null) {
    delete element.dataset.card;
    delete element.dataset.suit;
    return;
  }
  const suit = card[1] ?? "J";
  element.dataset.card = card;
  element.dataset.suit = suit;
  const index = document.createElement("span");
  index.className = "index";
  index.setAttribute("aria-hidden", "true");
  const rank = document.createElement("b");
  rank.textContent = words.index(card);
  index.append(rank, shape(suit));
  element.append(index, shape(suit, "pip"));
}
