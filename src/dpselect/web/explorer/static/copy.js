// Copies what a button names, and says so.
"use strict";

document.documentElement.classList.add("js");
const told = document.getElementById("said");

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  const copied = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(copied.innerText);
    told.textContent = button.textContent = "Copied";
  } catch { // A browser may forbid it; then it is a key away.
    getSelection().selectAllChildren(copied);
    told.textContent = button.textContent = "Selected: press Ctrl-C";
  }
});
