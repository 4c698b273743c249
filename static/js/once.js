/**
 * A form that is sent twice, by a double click or on a slow line, is sent once: what follows before
 * the answer is ignored. No button is disabled for that, whose name and value would not be sent.
 */

/** For so long an answer is waited for; whoever then sends again means it. */
const WAIT_MS = 10_000;

let sent = new WeakSet();

function isPost(form, submitter) {
  return (submitter?.formMethod || form.getAttribute("method"))?.toLowerCase() === "post";
}

// Last of all: what a script of the page does itself is prevented by then, and is its own affair.
document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (event.defaultPrevented || !isPost(form, submitter)) return;
  if (sent.has(form)) {
    event.preventDefault();
    return;
  }
  const before = sent;
  before.add(form);
  setTimeout(() => before.delete(form), WAIT_MS);
});

// Whoever comes back to a page that the browser has kept finds its forms as they were.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) sent = new WeakSet();
});
