// Runs before the first paint, so that a chosen theme never flashes the other one.
try {
  const theme = JSON.parse(localStorage.getItem("golf.settings") ?? "{}").theme;
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is closed or holds something else: the system's theme stands.
}
