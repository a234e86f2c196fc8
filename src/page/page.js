"use strict";

// The player: each board of the row can stand on the stage.
for (const player of document.querySelectorAll(".player")) {
  const boards = [...player.querySelectorAll(".boards li")];
  const stage = player.querySelector(".stage");
  const now = player.querySelector(".now");
  const slider = player.querySelector("input[type=range]");
  const count = player.querySelector(".count");
  const play = player.querySelector("[data-do=play]");
  const last = boards.length - 1;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let at = 0;
  let timer = 0;

  // The man who has moved goes the way that his move names.
  function glide(board) {
    const man = board.querySelector(".moved");
    const path = board.dataset.path.split(" ").filter(Boolean).map((p) => p.split(",").map(Number));
    if (still.matches || !man || path.length < 2) return;
    const end = path[path.length - 1];
    const steps = path.map(([x, y]) => ({ transform: `translate(${x - end[0]}px, ${y - end[1]}px)` }));
    man.animate(steps, { duration: Math.min(200 * (path.length - 1), 1200), easing: "ease-in-out" });
  }

  function show(number, glides) {
    at = Math.max(0, Math.min(last, number));
    const board = boards[at].querySelector("svg").cloneNode(true);
    stage.replaceChildren(board);
    now.textContent = boards[at].querySelector("button").textContent;
    slider.value = at;
    slider.setAttribute("aria-valuetext", now.textContent);
    count.textContent = `${at} / ${last}`;
    player.dataset.at = at;
    boards.forEach((li, i) => li.classList.toggle("at", i === at));
    if (glides) glide(board);
    if (at === last) pause();
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    play.setAttribute("aria-pressed", "false");
    // Boards that fly past are not read out one by one.
    now.setAttribute("aria-live", "polite");
  }

  function start() {
    if (at === last) show(0, false);
    play.setAttribute("aria-pressed", "true");
    now.setAttribute("aria-live", "off");
    timer = setInterval(() => show(at + 1, true), still.matches ? 900 : 1400);
  }

  const deeds = {
    first: () => { pause(); show(0, false); },
    back: () => { pause(); show(at - 1, false); },
    on: () => { pause(); show(at + 1, true); },
    last: () => { pause(); show(last, false); },
    play: () => (timer ? pause() : start()),
  };
  const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play" };

  player.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.do) deeds[button.dataset.do]();
    if (button.dataset.to) {
      pause();
      show(Number(button.dataset.to), true);
    }
  });
  slider.addEventListener("input", () => { pause(); show(Number(slider.value), false); });
  const press = (event) => {
    const busy = event.target.closest("input, button, summary, a, .scroll");
    const own = event.key.startsWith("Arrow") && event.target.closest("button");
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key] || (busy && !own)) return;
    event.preventDefault();
    deeds[keys[event.key]]();
  };
  player.addEventListener("keydown", press);
  // Where nothing has the focus, the keys are the first player's.
  if (player === document.querySelector(".player")) {
    document.addEventListener("keydown", (event) => {
      if (event.target === document.body || event.target.id === "main") press(event);
    });
  }
  player.querySelector(".controls").hidden = false;
  show(0, false);
}

// Tables: each head sorts by its column, and the other way when pressed again.
const value = (row, column) => {
  const text = row.cells[column].textContent;
  const number = Number(text.replaceAll(",", ""));
  return text && !Number.isNaN(number) ? number : text;
};
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = (a, b) => {
        const [x, y] = [value(a, column), value(b, column)];
        const least = typeof x === typeof y ? (x < y ? -1 : Number(x > y)) : typeof x === "number" ? -1 : 1;
        return down ? -least : least;
      };
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort(order));
    });
  });
}

// The theme: the system's, until somebody says otherwise.
const theme = document.querySelector(".theme");
const dark = matchMedia("(prefers-color-scheme: dark)");
const chosen = () => document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
const label = () => { theme.textContent = chosen() === "dark" ? "Light" : "Dark"; };
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = chosen() === "dark" ? "light" : "dark";
  label();
});
dark.addEventListener("change", label);
label();
theme.hidden = false;
