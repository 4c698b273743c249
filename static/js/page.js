/** What a page says about itself to its scripts. */

export const language = document.documentElement.lang;

/** What the page says in the JSON of that id. */
export function dataOf(id) {
  return JSON.parse(document.getElementById(id).textContent);
}
