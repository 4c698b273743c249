/** Clicks, keys and drags: all of them become the same few actions. */

/** Two taps on one place within this time are one: a shaky hand never plays or draws twice. */
const ONE_TAP = 250;
const DRAG_FROM = 8;
const CLICK_AFTER_DROP = 100;
/** Keys that are no action of the game. */
const COMMANDS = { u: "u", h: "h", r: "repeat", p: "pause", z: "zen", b: "read", "?": "settings" };

export class Input {
  #root;
  #table;
  #act;
  #command;
  #last = { target: "", at: 0 };
  #drag = null;
  #dropped = false;
  hasKeys = true;

  /**
   * @param {HTMLElement} root the board
   * @param {Table} table
   * @param {(action: string, row?: number) => void} act
   * @param {(name: string, target: Element) => void} command something that is no action of the game
   */
  constructor(root, table, act, command) {
    this.#root = root;
    this.#table = table;
    this.#act = act;
    this.#command = command;
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("pointerdown", (event) => this.#press(event));
    root.addEventListener("pointermove", (event) => this.#pull(event));
    root.addEventListener("pointerup", () => this.#release());
    root.addEventListener("pointercancel", () => this.#letGo());
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  #click(event) {
    const button = event.target.closest("[data-do]");
    if (button) {
      this.#do(button);
      return;
    }
    const place = this.#table.place(event.target);
    if (!place || this.#dropped) return;
    this.#tap(place);
  }

  #do(button) {
    if (button.ariaDisabled === "true") return;
    const name = button.dataset.do;
    if (name !== "d") this.#command(name, button);
    else if (!this.#isSecondTap("d")) this.#act("d");
  }

  #tap({ cell, row, column }) {
    if (cell === this.#table.waste) return;
    const isStock = cell === this.#table.stock;
    if (this.#isSecondTap(isStock ? "d" : String(column))) return;
    if (isStock) this.#act("d");
    else this.#act(String(column), row);
  }

  #isSecondTap(target) {
    const at = performance.now();
    const isSecond = this.#last.target === target && at - this.#last.at < ONE_TAP;
    this.#last = { target, at };
    return isSecond;
  }

  // Keys ---------------------------------------------------------------------------------------

  #key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    // A page that has put its board away has other uses for its keys.
    if (!this.#root.checkVisibility()) return;
    if (event.target.closest?.("input, select, textarea, dialog[open]")) return;
    if (this.#table.walk(event) || this.#enter(event)) {
      event.preventDefault();
      return;
    }
    if (event.key === "Escape") this.#command("leave", event.target);
    // A key that is held down is one key.
    if (this.hasKeys && !event.repeat && this.#boardKey(event)) event.preventDefault();
  }

  /** Enter plays the card that has the focus. */
  #enter(event) {
    if (event.key !== "Enter" || !this.#table.focused) return false;
    if (!event.repeat) this.#tap(this.#table.current());
    return true;
  }

  #boardKey(event) {
    const key = letter(event);
    if (key >= "1" && key <= "9" && key.length === 1) {
      if (!this.#isSecondTap(key)) this.#act(key);
    } else if (key === " ") {
      // A button or a link that has the focus keeps its own space bar.
      if (event.target.closest?.("button, a, summary")) return false;
      if (!this.#isSecondTap("d")) this.#act("d");
    } else if (key in COMMANDS) {
      this.#command(COMMANDS[key], event.target);
    } else {
      return false;
    }
    return true;
  }

  // Dragging a free card to the waste ----------------------------------------------------------

  #press(event) {
    this.#drag = null;
    this.#dropped = false;
    const place = this.#table.place(event.target);
    if (!place?.cell.hasAttribute("data-free") || event.button !== 0) return;
    this.#drag = { ...place, id: event.pointerId, x: event.clientX, y: event.clientY, moved: false };
  }

  #pull(event) {
    const drag = this.#drag;
    if (!drag || drag.id !== event.pointerId) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.hypot(x, y) < DRAG_FROM) return;
    if (!drag.moved) {
      drag.moved = true;
      drag.cell.setPointerCapture(drag.id);
      drag.cell.setAttribute("data-dragged", "");
    }
    drag.cell.style.translate = `${x}px ${y}px`;
  }

  #release() {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag?.moved) return;
    const target = this.#table.waste.getBoundingClientRect();
    const card = drag.cell.getBoundingClientRect();
    lay(drag.cell);
    const overlaps =
      card.left < target.right && card.right > target.left &&
      card.top < target.bottom && card.bottom > target.top;
    if (overlaps) this.#act(String(drag.column), drag.row);
    // The click that ends a drag comes next and is not a tap.
    this.#dropped = true;
    setTimeout(() => {
      this.#dropped = false;
    }, CLICK_AFTER_DROP);
  }

  #letGo() {
    if (this.#drag?.moved) lay(this.#drag.cell);
    this.#drag = null;
  }
}

/** Lay a dragged card back. */
function lay(cell) {
  cell.style.translate = "";
  cell.removeAttribute("data-dragged");
}

/** The key by what it writes, or by where it is when the keyboard writes another script. */
function letter(event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : "";
  if (/^[ -~]$/.test(key)) return key;
  const code = /^(?:Key([UHRPZB])|(?:Digit|Numpad)([1-9]))$/.exec(event.code);
  if (!code) return event.code === "Slash" && event.shiftKey ? "?" : "";
  return (code[1] ?? code[2]).toLowerCase();
}
