/**
 * Tells the site the browser's time zone, so that times come in it; on the page where the site did
 * not know it yet they are written anew.
 */

const { documentElement: root } = document;
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

function write(time, language) {
  const at = new Date(time.dateTime);
  const show = (options) => new Intl.DateTimeFormat(language, { timeZone, ...options });
  const parts = show({ timeZoneName: "long" }).formatToParts(at);
  time.textContent = show({ dateStyle: "long", timeStyle: "short" }).format(at);
  time.nextElementSibling.textContent = `(${parts.find(({ type }) => type === "timeZoneName").value})`;
}

if (timeZone && timeZone !== root.dataset.zone) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `time_zone=${timeZone}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  const language = root.lang === "ar" ? "ar-u-nu-latn" : root.lang;
  for (const time of document.querySelectorAll("time[data-zoned]")) write(time, language);
}
