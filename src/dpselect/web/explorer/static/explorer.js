// Redraws the view when an input changes, and keeps the address in step, so that it can be sent to a colleague.
"use strict";

const form = document.getElementById("question");
const view = document.getElementById("view");
const said = document.getElementById("said");
let running = false;
let wanted = false;

// On a phone the list of pages scrolls sideways: the one that is open is in sight.
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

function query(width) {
  const values = new URLSearchParams(new FormData(form));
  if (width) values.set("w", String(Math.round(view.clientWidth)));
  return values.toString();
}

// Instead of a view that no longer belongs to its form.
function complain(words) {
  const line = document.createElement("p");
  line.className = "problem";
  line.setAttribute("role", "alert");
  line.textContent = words;
  view.replaceChildren(line);
}

// One request at a time; what changed in the meantime is asked for once, afterwards.
async function redraw() {
  if (running) { wanted = true; return; }
  running = true;
  view.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(`${view.dataset.path}/view?${query(true)}`);
    const text = await answer.text();
    if (answer.headers.get("content-type").startsWith("text/html")) {
      const unfolded = [...view.querySelectorAll("details[open]")].map((each) => each.id);
      view.innerHTML = text;
      for (const name of unfolded) document.getElementById(name)?.setAttribute("open", "");
      if (!("home" in view.dataset)) history.replaceState(null, "", `${view.dataset.path}?${query(false)}`);
      const line = view.querySelector(".headline");
      if (line) said.textContent = line.textContent;
    } else complain(text);
  } catch {
    complain("The explorer has stopped: start dpselect explore again.");
  }
  view.removeAttribute("aria-busy");
  running = false;
  if (wanted) { wanted = false; redraw(); }
}

// A slider stands beside the number that counts, on a log scale, with figures that people would write.
function tidy(number) {
  return String(Number(number.toPrecision(number < 10 ** Math.ceil(Math.log10(number)) / 5 ? 2 : 1)));
}

function slide(slider) {
  const low = Math.log(slider.dataset.low), high = Math.log(slider.dataset.high), steps = Number(slider.max);
  const number = document.getElementById(slider.dataset.for);
  const follow = () => {
    const share = (Math.log(Number(number.value.replace(",", "."))) - low) / (high - low);
    if (Number.isFinite(share)) slider.value = String(Math.round(share * steps));
    slider.setAttribute("aria-valuetext", number.value);
  };
  follow();
  number.addEventListener("input", follow);
  slider.addEventListener("input", () => {
    const value = Math.exp(low + (high - low) * Number(slider.value) / steps);
    number.value = tidy(Math.min(Number(slider.dataset.high), Math.max(Number(slider.dataset.low), value)));
    slider.setAttribute("aria-valuetext", number.value);
  });
}

// The last row is empty: once it has a name, another one follows, with what an empty row has at first.
function grow(row) {
  const fresh = row.cloneNode(true);
  const number = row.parentElement.querySelectorAll(".row").length + 1;
  for (const input of fresh.querySelectorAll("input")) input.value = input.defaultValue;
  for (const select of fresh.querySelectorAll("select")) select.selectedIndex = 0;
  for (const named of [fresh, ...fresh.querySelectorAll("[aria-label]")]) {
    const label = named.getAttribute("aria-label");
    if (label) named.setAttribute("aria-label", label.replace(/\d+$/, String(number)));
  }
  row.after(fresh);
}

// Fields that do not count for what is chosen now are put away; they keep their values.
function putAway() {
  for (const part of form.querySelectorAll("[data-when]")) {
    part.hidden = !part.dataset.is.split("|").includes(form.elements[part.dataset.when].value);
  }
}

if (form) {
  form.querySelectorAll(".slider").forEach(slide);
  putAway();
  // On a phone the chart stands below two fields, not below all of them.
  const rest = form.querySelector("details.rest");
  if (rest && matchMedia("(max-width: 52rem)").matches) rest.open = false;
  form.addEventListener("input", (event) => {
    const row = event.target.closest(".row");
    if (row && row === row.parentElement.querySelector(".row:last-of-type") && row.querySelector("input, select").value) grow(row);
    putAway();
    redraw();
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); redraw(); });
  // Charts that were drawn for another width are drawn again for this one.
  if (Math.abs(view.clientWidth - 640) > 40 && !view.querySelector(".problem")) redraw();
}
