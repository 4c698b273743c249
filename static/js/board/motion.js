/** Motion that only shows what has already happened: nothing waits for it. */

const MS = 150;
const still = matchMedia("(prefers-reduced-motion: reduce)");
export const settings = { isOn: true };

/** Let an element, which is in its place already, come from where `from` is. */
export function comeFrom(element, from) {
  if (!settings.isOn || still.matches || !from) return;
  const to = element.getBoundingClientRect();
  if (!to.width || !from.width) return;
  const x = from.left - to.left;
  const y = from.top - to.top;
  element.animate([{ transform: `translate(${x}px, ${y}px)`, zIndex: 30 }, { transform: "none", zIndex: 30 }], {
    duration: MS,
    easing: "cubic-bezier(0.2, 0.7, 0.3, 1)",
  });
}

/** Shake the card that was refused, a little. */
export function shake(element) {
  if (!settings.isOn || still.matches) return;
  element.animate(
    [0, -4, 4, -2, 0].map((x) => ({ transform: `translateX(${x}px)` })),
    { duration: 220 },
  );
}
