/**
 * Arabic's own digits, for a reader who has chosen them. What is typed, pasted or pressed on a
 * keyboard (codes, addresses, keys) keeps its Latin ones.
 */

const ZERO = "\u0660".charCodeAt(0);
const KEPT = "script, style, code, kbd, textarea, .code, [data-digits=keep]";

function write(node) {
  if (!/[0-9]/.test(node.data) || node.parentElement?.closest(KEPT)) return;
  node.data = node.data.replace(/[0-9]/g, (digit) => String.fromCharCode(ZERO + Number(digit)));
}

function writeAll(root) {
  if (root.nodeType === Node.TEXT_NODE) return write(root);
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) write(texts.currentNode);
}

writeAll(document.body);
new MutationObserver((changes) => {
  for (const { type, target, addedNodes } of changes) {
    if (type === "characterData") write(target);
    else addedNodes.forEach(writeAll);
  }
}).observe(document.body, { childList: true, characterData: true, subtree: true });
