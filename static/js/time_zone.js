/** Chooses the browser's time zone in a list that nobody has touched yet. */

const list = document.querySelector("select[name=time_zone]");
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
const isAsItCame = list?.selectedOptions[0]?.value === "UTC" && !list.hasAttribute("aria-invalid");
if (isAsItCame && [...list.options].some(({ value }) => value === timeZone)) list.value = timeZone;
