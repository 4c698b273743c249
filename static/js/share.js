/** A link to hand on: copied, or sent with what the device offers. */

class GolfShare extends HTMLElement {
  connectedCallback() {
    const input = this.querySelector("input");
    input.addEventListener("focus", () => input.select());
    this.#offer("copy", "clipboard" in navigator, async (button) => {
      await navigator.clipboard.writeText(input.value);
      button.textContent = this.dataset.copied;
      this.querySelector("[role=status]").textContent = this.dataset.copied;
    });
    this.#offer("send", "share" in navigator, async () => {
      try {
        await navigator.share({ title: this.dataset.title, url: input.value });
      } catch (error) {
        // Who closes the device's own sheet has not failed.
        if (error.name !== "AbortError") throw error;
      }
    });
  }

  #offer(name, isPossible, act) {
    const button = this.querySelector(`[data-do="${name}"]`);
    button.hidden = !isPossible;
    button.addEventListener("click", () => act(button));
  }
}

customElements.define("golf-share", GolfShare);
