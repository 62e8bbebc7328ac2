"use strict";

// Copy buttons. They are hidden in the markup, since without a script they could do nothing.

const announcement = document.getElementById("announcement");
const shownFor = 4000; // milliseconds
let clearing;

function announce(text) {
  clearTimeout(clearing);
  announcement.textContent = text;
  clearing = setTimeout(() => { announcement.textContent = ""; }, shownFor);
}

function say(button, face) {
  const shown = button.querySelector(".face");
  clearTimeout(button.restoring);
  shown.textContent = face;
  button.restoring = setTimeout(() => { shown.textContent = "Copy"; }, shownFor);
}

function select(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copies);
  const noun = button.dataset.noun;
  try {
    // There is no clipboard on a plain http origin, and a browser may refuse it anywhere.
    await navigator.clipboard.writeText(source.textContent);
    say(button, "Copied");
    announce(`Copied ${noun}`);
  } catch {
    select(source);
    say(button, "Selected");
    const keys = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘C" : "Ctrl+C";
    announce(`Selected ${noun}. Press ${keys} to copy it.`);
  }
}

for (const button of document.querySelectorAll("button[data-copies]")) {
  button.addEventListener("click", () => copy(button));
  button.hidden = false;
}
