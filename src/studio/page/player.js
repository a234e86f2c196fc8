// A solution to watch: boards one after another, drawn by the server as reports draw them.

import { draw } from "./board.js";

/** SVG that the server wrote; parsed apart, where no script runs. */
export function parse(text) {
  return [...new DOMParser().parseFromString(text, "text/html").body.childNodes];
}

const ICONS = {
  first: ["First board", "M2 3H4V13H2ZM14 3V13L5 8Z"],
  back: ["One move back", "M12 3V13L4 8Z"],
  play: ["Play", "M4 2V14L14 8Z"],
  on: ["One move on", "M4 3V13L12 8Z"],
  last: ["Last board", "M12 3H14V13H12ZM2 3V13L11 8Z"],
};
const PAUSE = "M3 2H7V14H3ZM9 2H13V14H9Z";

/** Fills `place` with a player of these boards. */
export function player(place, { ground, boards }) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const last = boards.length - 1;
  let at = 0;
  let timer = 0;

  const [defs] = parse(`<svg class="defs" aria-hidden="true" width="0" height="0"><defs>${ground}</defs></svg>`);
  const stage = document.createElement("div");
  stage.className = "stage";
  stage.tabIndex = 0;
  stage.setAttribute("role", "group");
  stage.setAttribute("aria-label", "Solution; arrow keys step, Home and End go to the ends, the space bar plays");
  const now = document.createElement("p");
  now.className = "now";
  now.setAttribute("aria-live", "polite");
  const controls = document.createElement("div");
  controls.className = "controls";
  const buttons = {};
  for (const [deed, [name, path]] of Object.entries(ICONS)) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.do = deed;
    button.setAttribute("aria-label", name);
    button.append(draw("svg", { class: "icon", "aria-hidden": "true", viewBox: "0 0 16 16" }, draw("path", { d: path })));
    button.addEventListener("click", () => deeds[deed]());
    buttons[deed] = button;
    controls.append(button);
  }
  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = 0;
  slider.max = last;
  slider.setAttribute("aria-label", "Move");
  const count = document.createElement("span");
  count.className = "count";
  controls.append(slider, count);

  function glide(board) {
    const man = board.querySelector(".moved");
    const path = (board.dataset.path ?? "").split(" ").filter(Boolean).map((p) => p.split(",").map(Number));
    if (still.matches || !man || path.length < 2) return;
    const end = path[path.length - 1];
    const steps = path.map(([x, y]) => ({ transform: `translate(${x - end[0]}px, ${y - end[1]}px)` }));
    man.animate(steps, { duration: Math.min(200 * (path.length - 1), 1200), easing: "ease-in-out" });
  }

  function show(number, glides) {
    at = Math.max(0, Math.min(last, number));
    const [board] = parse(boards[at].svg);
    stage.replaceChildren(board);
    now.textContent = boards[at].caption;
    slider.value = at;
    slider.setAttribute("aria-valuetext", boards[at].caption);
    count.textContent = `${at} / ${last}`;
    place.dataset.at = at;
    if (glides) glide(board);
    if (at === last) pause();
  }

  function pressed(on) {
    buttons.play.setAttribute("aria-label", on ? "Pause" : "Play");
    buttons.play.querySelector("path").setAttribute("d", on ? PAUSE : ICONS.play[1]);
    // Boards that fly past are not read out one by one.
    now.setAttribute("aria-live", on ? "off" : "polite");
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    pressed(false);
  }

  function start() {
    if (at === last) show(0, false);
    pressed(true);
    // Whoever leaves the page takes the timer along.
    timer = setInterval(() => (place.isConnected ? show(at + 1, true) : pause()), 1400);
  }

  const deeds = {
    first: () => { pause(); show(0, false); },
    back: () => { pause(); show(at - 1, false); },
    on: () => { pause(); show(at + 1, true); },
    last: () => { pause(); show(last, false); },
    play: () => (timer ? pause() : start()),
  };
  const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play" };
  stage.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    deeds[keys[event.key]]();
  });
  slider.addEventListener("input", () => { pause(); show(Number(slider.value), false); });

  place.classList.add("player");
  place.replaceChildren(defs, stage, now, controls);
  show(0, false);
}
