/** Motion that only shows what has already happened: nothing waits for it. */

/** How long a card moves, in ms. */
const SPEEDS = { slow: 350, normal: 150, fast: 80, off: 0 };
const SHAKE = 220;
const still = matchMedia("(prefers-reduced-motion: reduce)");
let ms = SPEEDS.normal;

/** Choose `normal`, `slow`, `fast` or `off`; who wants no motion at all has told the device. */
export function setSpeed(name) {
  ms = SPEEDS[name];
}

/** How long a card moves now, in ms; 0 for not at all. */
export function moving() {
  return still.matches ? 0 : ms;
}

/** Let an element, which is in its place already, come from where `from` is. */
export function comeFrom(element, from) {
  if (!moving() || !from) return;
  const to = element.getBoundingClientRect();
  if (!to.width || !from.width) return;
  const x = from.left - to.left;
  const y = from.top - to.top;
  element.animate([{ transform: `translate(${x}px, ${y}px)`, zIndex: 30 }, { transform: "none", zIndex: 30 }], {
    duration: moving(),
    easing: "cubic-bezier(0.2, 0.7, 0.3, 1)",
  });
}

/** Shake the card that was refused, a little. */
export function shake(element) {
  if (!moving()) return;
  element.animate(
    [0, -4, 4, -2, 0].map((x) => ({ transform: `translateX(${x}px)` })),
    { duration: SHAKE },
  );
}
