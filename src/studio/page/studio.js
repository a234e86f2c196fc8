// The page as a whole: what is typed and clicked becomes a job, and what is known of the job is shown at once.

import { ask, make, takeToken } from "./ask.js";
import { Board } from "./board.js";
import { EXAMPLES, empty, ofFragment, ofJob, ordered, resized, toFragment, toml } from "./design.js";
import { parse } from "./player.js";
import { Searches } from "./searches.js";

const $ = (id) => document.getElementById(id);
const PRUNINGS = {
  transfer: ["none", "theorem-1", "mcc", "pattern", "leading", "narrowed"],
  game: ["none", "theorem-1", "all"],
};
/** After so many milliseconds without a change the server is asked. */
const PAUSE = 120;

takeToken();
let state = empty();
/** What the server last said of the job. */
let described = null;
let drawing = null;
/** The text that was last made from the board. */
let generated = "";
/** The last question about the job, and about the board: answers to earlier ones come too late. */
let asking = 0;
let laying = 0;

const say = (text) => { $("said").textContent = text; };
const board = new Board($("board"), set);
const still = new Board($("picture"), () => null);
const searches = new Searches({
  section: $("runs"), list: $("list"), place: $("run"), say,
  lost: (message) => { $("locked").hidden = !message; $("locked").textContent = message ?? ""; },
});

function show(element, text) {
  element.hidden = !text;
  element.textContent = text ?? "";
}

// What a click on a cell sets; `paint` says which way while a mouse is dragged. Returns the way.
function set(name, paint) {
  const tool = document.querySelector("[name=tool]:checked").value;
  if (tool === "hole") return setHole(name, paint);
  if (holes().has(name)) return null;
  const cells = tool === "army" ? state.army : (state.target ??= new Set(described?.armies?.target ?? []));
  const on = paint ?? !cells.has(name);
  if (cells.has(name) === on) return on;
  if (on) cells.add(name);
  else cells.delete(name);
  if (tool === "army") state.named = null;
  changed();
  return on;
}

function setHole(name, paint) {
  const [column, row] = place(name);
  const on = paint ?? state.map[row][column] !== "#";
  if ((state.map[row][column] === "#") === on) return on;
  state.map[row] = state.map[row].slice(0, column) + (on ? "#" : ".") + state.map[row].slice(column + 1);
  if (on) [state.army, state.target].forEach((cells) => cells?.delete(name));
  if (on) state.named = null;
  layOut();
  return on;
}

function place(name) {
  const [, letters, digits] = /^([a-z]+)(\d+)$/.exec(name);
  const column = [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 96, 0) - 1;
  return [column, Number(digits) - 1];
}

const holes = () => new Set(drawing?.holes.map((hole) => hole.name) ?? []);

/** The board anew: another one, another rule, another hole. */
async function layOut() {
  const wish = { board: state.board === "drawn" ? state.map.join("\n") : state.board, moves: state.moves };
  const number = ++laying;
  // What is known of the board before is of no use any more; it is asked again when this one is there.
  clearTimeout(timer);
  asking += 1;
  const { status, value } = await ask("POST", "/api/board", JSON.stringify(wish));
  if (number !== laying) return;
  if (status !== 200 || value.wrong) {
    refuse(status, value.wrong ?? value);
    return;
  }
  drawing = value.known;
  const there = new Set(drawing.cells.map((cell) => cell.name));
  const army = drawing.armies.find((army) => army.name === state.named);
  if (army) state.army = new Set(army.cells);
  else if (state.named) state.named = null;
  state.army = new Set([...state.army].filter((cell) => there.has(cell)));
  if (state.target) state.target = new Set([...state.target].filter((cell) => there.has(cell)));
  const words = drawing.armies.map((army) => make("option", { value: army.name, textContent: `${army.name} (${army.cells.length})` }));
  $("army").replaceChildren(make("option", { value: "", textContent: "by hand" }), ...words);
  board.lay({ ...drawing, cells: [...drawing.cells, ...drawing.holes] }, true);
  changed();
}

function controls() {
  document.querySelector(`[name=mode][value=${state.mode}]`).checked = true;
  const [byBoard, drawn] = [state.mode === "board", state.board === "drawn"];
  $("by-board").hidden = !byBoard;
  $("how").hidden = !byBoard;
  $("by-file").hidden = byBoard;
  $("from-board").hidden = !state.army.size;
  $("drawn").hidden = !drawn;
  $("hole-tool").hidden = !drawn;
  if (!drawn && document.querySelector("[name=tool][value=hole]").checked) document.querySelector("[name=tool][value=army]").checked = true;
  $("kind").value = state.kind;
  $("board-name").value = state.board;
  $("moves").value = state.moves;
  $("army").value = state.named ?? "";
  $("jumps-only").checked = state.jumpsOnly;
  $("jumps-only").disabled = $("palindromic").disabled = state.kind === "game";
  $("palindromic").checked = state.palindromic;
  $("columns").value = state.map[0].length;
  $("rows").value = state.map.length;
  $("mirror").hidden = !state.target;
  const own = PRUNINGS[state.kind];
  // A pruning that the menu does not have comes from a file or a link. It is added to the menu.
  const names = state.pruning && !own.includes(state.pruning) ? [...own, state.pruning] : own;
  $("pruning").replaceChildren(make("option", { value: "", textContent: "usual" }), ...names.map((name) => make("option", { value: name, textContent: name })));
  $("pruning").value = state.pruning;
  if ($("text").value !== state.text) $("text").value = state.text;
}

function marks() {
  const [gone, target] = [holes(), state.target ?? new Set(described?.armies?.target ?? [])];
  board.show((name) => {
    const here = new Set();
    if (state.army.has(name)) here.add("army");
    if (target.has(name) && state.army.size + (state.target?.size ?? 0)) here.add("target");
    if (gone.has(name)) here.add("hole");
    return here;
  });
  const men = state.army.size;
  const hint = men
    ? `${men} ${men === 1 ? "man" : "men"}. ${state.target ? `Target by hand: ${state.target.size} of ${men} cells.` : "The target follows by the mirror."}`
    : "Click the cells where the men start, or choose an army. By keyboard: arrow keys and the space bar.";
  $("board-hint").textContent = hint;
}

let timer = 0;

/** Something was typed, clicked or chosen. */
function changed() {
  controls();
  marks();
  history.replaceState(null, "", `#${toFragment(state)}`);
  clearTimeout(timer);
  timer = setTimeout(describe, PAUSE);
  lines();
}

async function describe() {
  const text = toml(state);
  const number = ++asking;
  if (state.mode === "board" ? !state.army.size : !text.trim()) {
    known(null);
    show($("fault"), null);
    return;
  }
  const { status, value } = await ask("POST", "/api/describe", text);
  if (number !== asking) return;
  if (status !== 200 || value.wrong) {
    known(null);
    refuse(status, value.wrong ?? value);
    return;
  }
  show($("fault"), null);
  lines();
  known(value.known);
}

/** Why the server takes no such job; in a text, with the line. */
function refuse(status, wrong) {
  if (status === 401 || status === 0) {
    show($("locked"), wrong.message);
    return;
  }
  show($("locked"), null);
  const line = state.mode === "file" && wrong.line ? `Line ${wrong.line}, column ${wrong.column}: ` : "";
  show($("fault"), line + wrong.message);
  lines(wrong.line);
}

/** The numbers of the lines beside the text, one of them marked. */
function lines(wrong) {
  const count = state.text.split("\n").length;
  const numbers = Array.from({ length: count }, (_, i) => make("span", { textContent: `${i + 1}\n`, className: i + 1 === wrong ? "at" : "" }));
  $("lines").replaceChildren(...numbers);
  $("lines").scrollTop = $("text").scrollTop;
}

function known(value) {
  described = value;
  $("about").textContent = value?.about ?? "";
  const facts = (value?.facts ?? []).flatMap(([name, fact]) => [make("dt", { textContent: name }), make("dd", { textContent: fact })]);
  $("facts").replaceChildren(...facts);
  if (!value) $("about").textContent = state.mode === "board" ? "Nothing yet: there are no men." : "Nothing yet.";
  document.querySelectorAll("[data-ask]").forEach((button) => { button.disabled = !value; });
  $("to-board").hidden = state.mode !== "file" || !value?.armies;
  marks();
  if (state.mode !== "file") return;
  if (!value?.armies) {
    $("picture").replaceChildren(...(value?.picture ? parse(value.picture) : []));
    return;
  }
  const { armies } = value;
  still.lay(armies.drawing, false);
  still.show((name) => new Set([armies.start.includes(name) && "army", armies.target.includes(name) && "target"].filter(Boolean)));
}

async function begin(event) {
  const asked = event.currentTarget.dataset.ask;
  const number = $(`${asked}-number`)?.value;
  const query = number ? `ask=${asked}&number=${number}` : `ask=${asked}`;
  const { status, value } = await ask("POST", `/api/jobs?${query}`, toml(state));
  show($("refused"), status === 201 ? null : (value.line && state.mode === "file" ? `Line ${value.line}: ` : "") + value.message);
  if (status !== 201) return;
  $("runs").hidden = false;
  await searches.choose(value.id);
  // On a phone the result is below what was asked.
  const { top } = $("runs").getBoundingClientRect();
  if (top > innerHeight * 0.5) $("runs").scrollIntoView({ block: "start" });
}

function setState(next) {
  state = next;
  described = null;
  controls();
  if (state.mode === "board") layOut();
  else changed();
}

async function copy() {
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied.");
    $("link").textContent = "Copied";
  } catch {
    $("link").textContent = "See the address bar";
  }
  setTimeout(() => { $("link").textContent = "Copy link"; }, 2000);
}

function listen() {
  const on = (id, deed, event = "change") => $(id).addEventListener(event, deed);
  on("kind", (e) => {
    state.kind = e.target.value;
    if (!PRUNINGS[state.kind].includes(state.pruning)) state.pruning = "";
    changed();
  });
  on("board-name", (e) => { state.board = e.target.value; state.target = null; layOut(); });
  on("moves", (e) => { state.moves = Number(e.target.value); layOut(); });
  on("army", (e) => {
    const army = drawing.armies.find((army) => army.name === e.target.value);
    state.named = army?.name ?? null;
    if (army) [state.army, state.target] = [new Set(army.cells), null];
    changed();
  });
  on("jumps-only", (e) => { state.jumpsOnly = e.target.checked; changed(); });
  on("palindromic", (e) => { state.palindromic = e.target.checked; changed(); });
  on("pruning", (e) => { state.pruning = e.target.value; changed(); });
  for (const id of ["columns", "rows"]) {
    on(id, () => {
      const size = (id, most) => Math.max(1, Math.min(most, Math.floor(Number($(id).value)) || 1));
      const columns = size("columns", 64);
      state.map = resized(state.map, columns, size("rows", Math.floor(256 / columns)));
      state.target = null;
      layOut();
    });
  }
  on("clear", () => { [state.army, state.target, state.named] = [new Set(), null, null]; changed(); }, "click");
  on("mirror", () => { state.target = null; changed(); }, "click");
  on("text", (e) => { state.text = e.target.value; changed(); }, "input");
  on("text", () => { $("lines").scrollTop = $("text").scrollTop; }, "scroll");
  on("example", (e) => {
    if (EXAMPLES[e.target.value]) state.text = EXAMPLES[e.target.value];
    e.target.value = "";
    changed();
  });
  on("file", async (e) => {
    const [file] = e.target.files;
    e.target.value = "";
    if (!file) return;
    if (file.size > 200_000) {
      // Nothing has changed; to describe it again would hide this.
      show($("fault"), "The file is too long for a job.");
      return;
    }
    state.text = await file.text();
    changed();
  });
  on("from-board", () => {
    state.text = generated = toml(state);
    changed();
  }, "click");
  // What was typed stays: a title, comments and limits are not on the board.
  on("to-board", () => setState({ ...ofJob(described.armies, described.kind), text: state.text }), "click");
  on("link", copy, "click");
  document.querySelectorAll("[name=mode]").forEach((radio) => radio.addEventListener("change", () => {
    // The text begins with what is on the board; what somebody has typed stays.
    if (radio.value === "file" && state.army.size && (!state.text.trim() || state.text === generated)) state.text = generated = toml(state);
    setState({ ...state, mode: radio.value });
  }));
  document.querySelectorAll("[data-ask]").forEach((button) => button.addEventListener("click", begin));
}

/** Whether the studio has answered, and the page listens. */
let opened = false;

// Another address was pasted, perhaps that of a studio which has begun anew.
addEventListener("hashchange", async () => {
  const given = takeToken();
  if (!opened) {
    if (given) await open();
    return;
  }
  if (given) searches.poll();
  const next = ofFragment(location.hash.slice(1));
  if (next && toFragment(next) !== toFragment(state)) setState(next);
  else if (given) describe();
});

async function open() {
  const { status, value } = await ask("GET", "/api/start");
  show($("locked"), status === 200 ? null : value.message);
  if (status !== 200 || opened) return;
  opened = true;
  $("board-name").replaceChildren(...[...value.boards, "drawn"].map((name) => make("option", { value: name, textContent: name })));
  $("example").append(...Object.keys(EXAMPLES).map((name) => make("option", { value: name, textContent: name })));
  const memory = value.memory ? `, ${value.memory} of memory` : "";
  $("place").textContent = `${value.program}; at most ${value.threads} ${value.threads === 1 ? "thread" : "threads"}${memory}; searches leave their folders in ${value.folder}.`;
  listen();
  const linked = ofFragment(location.hash.slice(1));
  if (linked) setState(linked);
  else if (value.job) setState({ ...empty(), mode: "file", text: value.job });
  else setState(empty());
  searches.poll();
  document.documentElement.dataset.ready = "true";
}

open();
