// Asks whether the answer is there, and then shows the page again; without this script the page loads itself again.
"use strict";

const waiting = document.querySelector("[data-request]");

async function look() {
  try {
    const answer = await fetch(`/requests/${waiting.dataset.request}`);
    if (answer.status !== 202) { location.reload(); return; }
  } catch {
    // The server is away for a moment: the next try may find it.
  }
  setTimeout(look, 1000);
}

setTimeout(look, 500);
