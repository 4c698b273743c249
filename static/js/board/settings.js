/** What a player likes, kept by the browser. */

const KEY = "golf.settings";
const DEFAULTS = {
  theme: "",
  fourColours: false,
  showPlayable: false,
  motion: true,
  clock: true,
  keys: true,
};

function read() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}

function write(settings) {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // A closed storage forgets; the page goes by the choice all the same.
  }
}

/** Bind a form of settings; `apply` is told them now and at every change. */
export function bindSettings(form, apply) {
  const settings = read();
  for (const input of form.elements) {
    if (input.type === "checkbox") input.checked = settings[input.name];
    else if (input.name) input.value = settings[input.name];
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", ({ target }) => {
    settings[target.name] = target.type === "checkbox" ? target.checked : target.value;
    write(settings);
    apply(settings);
  });
  apply(settings);
}
