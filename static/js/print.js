/** A button that prints the page; without scripts the browser's own menu does. */

class GolfPrint extends HTMLElement {
  connectedCallback() {
    this.hidden = false;
    this.querySelector("button").addEventListener("click", () => window.print());
  }
}

customElements.define("golf-print", GolfPrint);
