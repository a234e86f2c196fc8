// A puzzle that is being drawn: as a job in TOML, and as the part of an address behind the #.

export const empty = () => ({
  mode: "board",
  kind: "transfer",
  /** A board's name, or "drawn": then `map` has its rows. */
  board: "9x9",
  map: [".....", ".....", "..#..", ".....", "....."],
  moves: 6,
  jumpsOnly: false,
  /** The name of an army, where it is one. */
  named: null,
  army: new Set(),
  /** The target by hand; null where it follows by the mirror. */
  target: null,
  pruning: "",
  palindromic: false,
  /** The job as it is typed. */
  text: "",
});

const quoted = (cells) => `[${cells.map((cell) => `"${cell}"`).join(", ")}]`;

/** a1 b1 c1 a2 ...: by rows, then columns. */
export function ordered(cells) {
  const parts = (cell) => /^([a-z]+)(\d+)$/.exec(cell).slice(1);
  return [...cells].sort((a, b) => {
    const [[c, r], [d, s]] = [parts(a), parts(b)];
    return r - s || c.length - d.length || (c < d ? -1 : 1);
  });
}

/** The job's text. */
export function toml(state) {
  if (state.mode === "file") return state.text;
  const board = state.board === "drawn" ? `"""\n${state.map.join("\n")}\n"""` : `"${state.board}"`;
  const lines = ["[problem]", `kind = "${state.kind}"`, `board = ${board}`, `moves = ${state.moves}`];
  lines.push(`army = ${state.named ? `"${state.named}"` : quoted(ordered(state.army))}`);
  if (state.target) lines.push(`target = ${quoted(ordered(state.target))}`);
  if (state.jumpsOnly && state.kind === "transfer") lines.push("jumps-only = true");
  const search = [];
  if (state.pruning) search.push(`pruning = "${state.pruning}"`);
  if (state.palindromic && state.kind === "transfer") search.push("palindromic = true");
  if (search.length) lines.push("", "[search]", ...search);
  return `${lines.join("\n")}\n`;
}

/** The state as it stands behind the # of an address. */
export function toFragment(state) {
  const parts = new URLSearchParams();
  if (state.mode === "file") {
    parts.set("toml", state.text);
    return String(parts);
  }
  if (state.kind !== "transfer") parts.set("kind", state.kind);
  if (state.board === "drawn") parts.set("map", state.map.map((row) => row.replaceAll("#", "-")).join("_"));
  else parts.set("board", state.board);
  parts.set("moves", state.moves);
  if (state.named || state.army.size) parts.set("army", state.named ?? ordered(state.army).join("."));
  if (state.target) parts.set("target", ordered(state.target).join("."));
  if (state.jumpsOnly) parts.set("jumps-only", "1");
  if (state.pruning) parts.set("pruning", state.pruning);
  if (state.palindromic) parts.set("palindromic", "1");
  return String(parts);
}

const CELLS = /^[a-z]{1,2}\d{1,3}(\.[a-z]{1,2}\d{1,3})*$/;

/** The state that a fragment says; what is no state there is left out. Null where it says nothing. */
export function ofFragment(fragment) {
  const parts = new URLSearchParams(fragment);
  const state = empty();
  if (parts.has("toml")) return { ...state, mode: "file", text: parts.get("toml") };
  if (!parts.has("board") && !parts.has("map")) return null;
  if (parts.get("kind") === "game") state.kind = "game";
  if (/^[a-z0-9-]{1,20}$/.test(parts.get("board") ?? "")) state.board = parts.get("board");
  const map = (parts.get("map") ?? "").replaceAll("-", "#").split("_");
  if (map.every((row) => /^[.#]{1,64}$/.test(row) && row.length === map[0].length) && map.length <= 64) {
    [state.board, state.map] = ["drawn", map];
  }
  if (["4", "6", "8"].includes(parts.get("moves"))) state.moves = Number(parts.get("moves"));
  const cells = (key) => (CELLS.test(parts.get(key) ?? "") ? new Set(parts.get(key).split(".")) : null);
  state.army = cells("army") ?? new Set();
  if (!state.army.size && /^[a-z]+-\d+$/.test(parts.get("army") ?? "")) state.named = parts.get("army");
  state.target = parts.has("target") ? cells("target") ?? new Set() : null;
  state.jumpsOnly = parts.has("jumps-only");
  state.palindromic = parts.has("palindromic");
  if (/^[a-z0-9+-]{1,200}(\([\w,.=/+ -]{1,200}\))?$/.test(parts.get("pruning") ?? "")) state.pruning = parts.get("pruning");
  return state;
}

/** The state of a job that the server has read. */
export function ofJob(armies, kind) {
  const state = { ...empty(), kind, moves: armies.moves, jumpsOnly: armies.jumps_only, palindromic: armies.palindromic };
  if (armies.map) {
    const rows = armies.map.split("\n").map((row) => row.trimEnd()).filter((row) => row);
    [state.board, state.map] = ["drawn", rows.map((row) => row.replace(/[^#]/g, "."))];
  } else {
    state.board = armies.board;
  }
  state.pruning = armies.pruning === armies.usual_pruning ? "" : armies.pruning;
  state.named = armies.named;
  state.army = new Set(armies.start);
  state.target = armies.mirrored ? null : new Set(armies.target);
  return state;
}

/** The map with so many columns and rows; what is new is a cell. */
export function resized(map, columns, rows) {
  return Array.from({ length: rows }, (_, y) => (map[y] ?? "").padEnd(columns, ".").slice(0, columns));
}

export const EXAMPLES = {
  "Army on a drawn board": `[problem]
kind = "transfer"
moves = 6
board = """
SS...
SS...
..#..
...TT
...TT
"""
`,
  "Two-player game": `[problem]
kind = "game"
board = "9x9"
moves = 4
army = "triangle-3"
`,
  "Frogs and toads": `[problem]
kind = "rules"
title = "Frogs and toads, 3 each"
board = "FFF.TTT"
rules = [
    { rule = "F . -> . F", directions = ["right"] },
    { rule = "F T . -> . T F", directions = ["right"] },
    { rule = "T . -> . T", directions = ["left"] },
    { rule = "T F . -> . F T", directions = ["left"] },
]
goal = "TTT.FFF"
`,
  "Peg solitaire": `[problem]
kind = "rules"
title = "Peg solitaire, 4 by 4"
board = """
P.PP
PPPP
PPPP
PPPP
"""
rules = ["P P . -> . . P"]
goal = { count = { P = 1 } }
`,
  "Sliding blocks": `[problem]
kind = "blocks"
title = "Klotski"
board = """
ABBC
ABBC
DEEF
DGHF
I..J
"""
goal = """
????
????
????
?BB?
?BB?
"""
metric = "move"
`,
  "Permutation": `[problem]
kind = "permutation"
title = "4 pancakes"
scramble = "F2 F4 F3"
definition = """
Name pancakes-4
Set STACK 4 1
Solved
STACK
1 2 3 4
End
Move F2
STACK
2 1 3 4
End
Move F3
STACK
3 2 1 4
End
Move F4
STACK
4 3 2 1
End
"""
`,
};
