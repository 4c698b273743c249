/**
 * The cards on the table: a grid of five rows of columns, and a sixth row with stock and waste.
 *
 * It is one stop for the Tab key; arrow keys move inside. A cell stands for a place, so nothing
 * is created or moved while playing: a card that has gone leaves its cell hidden.
 */

import { drawCard } from "./cards.js";
import { comeFrom, shake } from "./motion.js";

const COLUMNS = 7;
const ROWS = 5;
const LAST_ROW = ROWS + 1;
const STOCK_COLUMN = 1;
const WASTE_COLUMN = 2;
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

export class Table {
  #grid;
  #words;
  #cells = new Map();
  #current;
  #view = null;
  showsPlayable = false;

  constructor(grid, words) {
    this.#grid = grid;
    this.#words = words;
    for (let row = 1; row <= ROWS; row += 1) {
      const line = this.#line(row);
      for (let column = 1; column <= COLUMNS; column += 1) line.append(this.#cell(row, column));
    }
    const last = this.#line(LAST_ROW);
    this.stock = this.#cell(LAST_ROW, STOCK_COLUMN);
    this.waste = this.#cell(LAST_ROW, WASTE_COLUMN);
    this.stock.classList.add("stock");
    this.waste.classList.add("waste");
    this.top = document.createElement("span");
    this.top.className = "card top";
    this.under = document.createElement("span");
    this.under.className = "card under";
    this.waste.classList.remove("card");
    this.waste.append(this.under, this.top);
    this.count = document.createElement("span");
    this.count.className = "count";
    this.stock.append(this.count);
    last.append(this.stock, this.waste);
    this.#move(this.stock, false);
    grid.addEventListener("focusin", ({ target }) => {
      const place = this.place(target);
      if (place) this.#move(place.cell, false);
    });
  }

  /** The cell of an event's target: {cell, row, column}, or null. */
  place(target) {
    const cell = target.closest?.('[role="gridcell"]');
    if (!cell || !this.#grid.contains(cell)) return null;
    return { cell, row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
  }

  get focused() {
    return this.#grid.contains(document.activeElement) ? this.#current : null;
  }

  /** Show a position; what differs from the one before comes moving, if it is a move. */
  show(view, { isMoving = true } = {}) {
    const before = this.#view;
    const hadFocus = document.activeElement === this.#current;
    const places = before && isMoving ? this.#places(before, view) : null;
    this.#view = view;
    view.columns.forEach((cards, index) => this.#showColumn(index + 1, cards, view));
    // A row without a cell is none.
    for (const line of this.#grid.children) {
      line.hidden = [...line.children].every((cell) => cell.hidden);
    }
    this.#showWaste(view, before);
    this.#showStock(view);
    if (this.#current.hidden) this.#retreat(hadFocus);
    if (places) this.#animate(places);
  }

  /** Lay the table anew: before a deal is known all its places show backs. */
  clear() {
    this.#view = null;
    for (const cell of this.#cells.values()) {
      cell.hidden = false;
      cell.classList.remove("place", "back");
      for (const mark of ["data-free", "data-hint", "data-playable", "aria-label"]) {
        cell.removeAttribute(mark);
      }
      if (cell !== this.stock && cell !== this.waste) drawCard(cell, null, this.#words);
    }
    for (const line of this.#grid.children) line.hidden = false;
    this.top.classList.remove("place");
    for (const card of [this.top, this.under]) drawCard(card, null, this.#words);
    this.count.textContent = "";
  }

  /** Show that a card may not be played. */
  refuse(column, row) {
    const cell = this.#at(row ?? this.#view.columns[column - 1].length, column);
    if (cell) shake(cell);
  }

  /** Mark the card, or the stock, that a hint names, until the next position. */
  point(action) {
    const cell = action === "d" ? this.stock : this.#free(Number(action));
    cell?.setAttribute("data-hint", "");
  }

  /**
   * Let a key that was pressed in the grid move the focus: an arrow goes where it points, Home and
   * End to the first and the last cell of the row. False for any other key or place.
   */
  walk({ key }) {
    if (!this.focused || !this.#view) return false;
    if (key in ARROWS) {
      const [x, along] = ARROWS[key];
      const isMirrored = getComputedStyle(this.#grid).direction === "rtl";
      this.#step(isMirrored ? -x : x, along);
    } else if (key === "Home" || key === "End") {
      this.#edge(key === "Home" ? -1 : 1);
    } else {
      return false;
    }
    return true;
  }

  focus() {
    this.#current.focus();
  }

  #step(across, along) {
    const row = Number(this.#current.dataset.row);
    const column = Number(this.#current.dataset.column);
    if (across) this.#stepAcross(row, column, across);
    else this.#stepAlong(row, column, along);
  }

  #edge(across) {
    const row = Number(this.#current.dataset.row);
    const columns = row === LAST_ROW ? [STOCK_COLUMN, WASTE_COLUMN] : range(1, COLUMNS);
    const column = across < 0 ? columns[0] : columns.at(-1);
    this.#move(this.#nearest(row, column), true);
  }

  current() {
    return this.place(this.#current);
  }

  #line(row) {
    const line = document.createElement("div");
    line.setAttribute("role", "row");
    line.setAttribute("aria-rowindex", row);
    this.#grid.append(line);
    return line;
  }

  #cell(row, column) {
    const cell = document.createElement("div");
    cell.setAttribute("role", "gridcell");
    cell.setAttribute("aria-colindex", column);
    cell.className = `card r${row} c${column}`;
    cell.dataset.row = row;
    cell.dataset.column = column;
    cell.tabIndex = -1;
    this.#cells.set(`${row} ${column}`, cell);
    this.#current ??= cell;
    return cell;
  }

  #at(row, column) {
    return this.#cells.get(`${row} ${column}`);
  }

  #free(column) {
    return this.#at(Math.max(1, this.#view.columns[column - 1].length), column);
  }

  #showColumn(column, cards, view) {
    for (let row = 1; row <= ROWS; row += 1) {
      const cell = this.#at(row, column);
      const card = cards[row - 1] ?? null;
      const isEmptyPlace = row === 1 && card === null;
      cell.hidden = card === null && !isEmptyPlace;
      cell.classList.toggle("place", isEmptyPlace);
      drawCard(cell, card, this.#words);
      cell.removeAttribute("data-hint");
      cell.toggleAttribute("data-free", row === cards.length);
      const playable = row === cards.length && view.legal.includes(String(column));
      cell.toggleAttribute("data-playable", this.showsPlayable && playable);
      cell.setAttribute("aria-label", this.#label(card, column, row, cards.length, playable));
    }
  }

  #label(card, column, row, height, playable) {
    if (card === null) return this.#words.say("cell_empty", { column });
    const parameters = { card: this.#words.card(card), column, row };
    if (row < height) return this.#words.say("cell_covered", parameters);
    const name = playable && this.showsPlayable ? "cell_playable" : "cell_free";
    return this.#words.say(name, parameters);
  }

  #showWaste(view, before) {
    const changed = before && before.waste !== view.waste;
    if (changed) drawCard(this.under, before.waste, this.#words);
    drawCard(this.top, view.waste, this.#words);
    this.top.classList.toggle("place", view.waste === null);
    const name = view.waste === null ? "cell_waste_empty" : "cell_waste";
    const card = view.waste === null ? "" : this.#words.card(view.waste);
    this.waste.setAttribute("aria-label", this.#words.say(name, { card }));
  }

  #showStock(view) {
    this.stock.removeAttribute("data-hint");
    this.stock.classList.toggle("back", view.stock > 0);
    this.stock.classList.toggle("place", view.stock === 0);
    this.stock.toggleAttribute("data-waiting", view.waiting === "d");
    this.count.textContent = view.stock;
    this.stock.setAttribute("aria-label", this.#words.count("cell_stock", view.stock));
  }

  /** Where the cards are that are about to move: [element to move, where from]. */
  #places(before, after) {
    const lengths = (view) => view.columns.map((cards) => cards.length);
    const [was, is] = [lengths(before), lengths(after)];
    const changed = was.flatMap((length, index) => (length === is[index] ? [] : [index]));
    if (changed.length === 1) {
      const [index] = changed;
      const column = index + 1;
      if (is[index] === was[index] - 1) return ["waste", this.#rect(this.#at(was[index], column))];
      if (is[index] === was[index] + 1) return [column, this.#rect(this.top)];
    } else if (changed.length === 0 && after.stock === before.stock - 1) {
      return ["waste", this.#rect(this.stock)];
    }
    return null;
  }

  #animate([target, from]) {
    comeFrom(target === "waste" ? this.top : this.#free(target), from);
  }

  #rect(element) {
    return element.getBoundingClientRect();
  }

  /** The cell that was in turn is gone: go to the one that is now free in its column. */
  #retreat(hadFocus) {
    this.#move(this.#free(Number(this.#current.dataset.column)), hadFocus);
  }

  #stepAcross(row, column, across) {
    if (row === LAST_ROW) {
      this.#move(across < 0 ? this.stock : this.waste, true);
      return;
    }
    const next = column + across;
    if (next >= 1 && next <= COLUMNS) this.#move(this.#nearest(row, next), true);
  }

  #stepAlong(row, column, along) {
    if (row === LAST_ROW && along > 0) return;
    if (row === LAST_ROW) {
      this.#move(this.#free(column), true);
      return;
    }
    const next = this.#at(row + along, column);
    if (next && !next.hidden && row + along <= ROWS) this.#move(next, true);
    else if (along > 0) this.#move(column === STOCK_COLUMN ? this.stock : this.waste, true);
  }

  /** The cell of a column that is nearest to a row and not hidden. */
  #nearest(row, column) {
    if (row === LAST_ROW) return column === STOCK_COLUMN ? this.stock : this.waste;
    const cell = this.#at(row, column);
    return cell.hidden ? this.#free(column) : cell;
  }

  #move(cell, focus) {
    this.#current.tabIndex = -1;
    this.#current = cell;
    cell.tabIndex = 0;
    if (focus) cell.focus();
  }
}

function range(first, last) {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
