// Runs before the first paint, so that a chosen theme never flashes the other one. A player's own
// choice comes with the page; this is for visitors, and for whoever has not chosen yet.
try {
  const { dataset } = document.documentElement;
  const { theme } = JSON.parse(localStorage.getItem("golf.settings") ?? "{}");
  if (!dataset.theme && (theme === "light" || theme === "dark")) dataset.theme = theme;
} catch {
  // Storage is closed or holds something else: the system's theme stands.
}
