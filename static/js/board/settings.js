/**
 * What a player likes: kept by the server with the player, so that it holds on every device, and by
 * the browser for the first paint of pages that know no player.
 */

const KEY = "golf.settings";
const UNSENT = "golf.settings.unsent";

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}");
  } catch {
    return {};
  }
}

function write(key, settings) {
  try {
    localStorage.setItem(key, JSON.stringify(settings));
  } catch {
    // A closed storage forgets; the page goes by the choice all the same.
  }
}

/**
 * What holds now.
 * @param {{standard: object, kept: object}} known all settings, and what the player has chosen
 */
export function chosen({ standard, kept }) {
  return { ...standard, ...read(KEY), ...kept, ...read(UNSENT) };
}

export class Settings {
  #form;
  #apply;
  #settings;
  /** Choices that the server has not taken yet. */
  #unsent = read(UNSENT);
  #isSending = false;

  /**
   * Bind a form of settings, whose address takes them.
   * @param {HTMLFormElement} form
   * @param {{standard: object, kept: object}} known see `chosen`
   * @param {(settings: object) => void} apply is told them now and at every change
   */
  constructor(form, known, apply) {
    this.#form = form;
    this.#apply = apply;
    this.#settings = chosen(known);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", ({ target }) => {
      this.set(target.name, target.type === "checkbox" ? target.checked : target.value);
    });
    addEventListener("online", () => this.#send());
    this.#show();
    this.#send();
  }

  get(name) {
    return this.#settings[name];
  }

  set(name, value) {
    this.#settings[name] = value;
    this.#unsent[name] = value;
    this.#show();
    this.#send();
  }

  #show() {
    for (const input of this.#form.elements) {
      if (!(input.name in this.#settings)) continue;
      if (input.type === "checkbox") input.checked = this.#settings[input.name];
      else input.value = this.#settings[input.name];
    }
    write(KEY, this.#settings);
    this.#apply(this.#settings);
  }

  /** Send what the server has not taken; what does not arrive goes with the next change or page. */
  async #send() {
    write(UNSENT, this.#unsent);
    if (this.#isSending || !Object.keys(this.#unsent).length) return;
    const sent = { ...this.#unsent };
    this.#isSending = true;
    const isSettled = await this.#post(sent);
    this.#isSending = false;
    if (!isSettled) return;
    for (const name of Object.keys(sent)) {
      if (this.#unsent[name] === sent[name]) delete this.#unsent[name];
    }
    this.#send();
  }

  /** Post settings; true when the server has taken them or will never do so. */
  async #post(settings) {
    const body = new URLSearchParams();
    body.set("csrfmiddlewaretoken", this.#form.elements.csrfmiddlewaretoken.value);
    for (const [name, value] of Object.entries(settings)) {
      body.set(name, typeof value === "boolean" ? (value ? "on" : "off") : value);
    }
    try {
      const response = await fetch(this.#form.action, { method: "POST", body, keepalive: true });
      return response.status < 500;
    } catch {
      return false;
    }
  }
}
