"use strict";

const root = document.documentElement;

// In the frame of a notebook the page has no address of its own.
const framed = location.protocol === "about:";

// Text to the clipboard; where that is not allowed, it is marked for the reader to copy.
async function take(text, said, fallback) {
  try {
    await navigator.clipboard.writeText(text);
    said.textContent = "Copied.";
  } catch {
    if (!fallback) return;
    fallback.value = text;
    fallback.hidden = false;
    fallback.focus();
    fallback.select();
    said.textContent = "Marked below: copy it from there.";
  }
}

// A board as TikZ, in light colours; one unit is the distance of two cells. `halma replay --tikz --at` writes the same.
function tikz(svg) {
  const unit = 20;
  const at = (x, y) => `(${+(x / unit).toFixed(3)},${+(-y / unit).toFixed(3)})`;
  const number = (e, name) => Number(e.getAttribute(name) ?? 0);
  const colours = {
    t0: "0072B2", t1: "E69F00", t2: "009E73", t3: "CC79A7", blue: "0072B2", red: "D55E00",
    start: "E4ECF7", target: "F7EADB", hole: "B4B8BF",
    l0: "9FCBE6", l1: "F5CF85", l2: "8FD3BB", l3: "E6BCD3", l4: "F2AC80", l5: "C9D88F", l6: "B9BDE6", l7: "D4D0C8",
  };
  const used = new Set();
  const fill = (classes) => {
    const name = Object.keys(colours).find((c) => classes.contains(c));
    if (!name) return "white";
    used.add(name);
    return `halma${name}`;
  };
  const line = { grid: "gray!50", cross: "gray", lane: "densely dotted,thick", left: "densely dashed", move: "thick" };
  const pen = (classes) => {
    const kind = Object.keys(line).find((c) => classes.contains(c)) ?? "grid";
    const colour = kind === "lane" && Object.keys(colours).find((c) => classes.contains(c));
    if (colour) used.add(colour);
    return line[kind] + (colour ? `,halma${colour}` : "");
  };
  const letters = { "→": "$\\to$", " ": "~" };
  const escape = (text, kept) => text.replace(kept ? /[\\{}$&#^_~%→ ]/g : /[\\{}$&#^_~%→]/g, (c) => letters[c] ?? `\\char${c.charCodeAt(0)}{}`);
  const out = [];
  // Neighbours of one style are drawn at once: LaTeX takes its time for each command.
  let last = "";
  const draw = (head, shape) => {
    if (head === last) out[out.length - 1] = `${out[out.length - 1].slice(0, -1)}\n  ${shape};`;
    else out.push(`${head} ${shape};`);
    last = head;
  };
  const ground = document.getElementById(svg.querySelector("use").getAttribute("href").slice(1));
  for (const e of [...ground.querySelectorAll("*"), ...svg.querySelectorAll(":scope > :not(title, use), :scope .names *")]) {
    const classes = e.classList;
    const wide = classes.contains("moved") ? "very thick" : "thin";
    if (e.tagName === "circle") {
      const style = classes.contains("left") ? pen(classes) : `fill=${fill(classes)},${classes.contains("cell") ? "draw=gray" : wide}`;
      draw(`\\draw[${style}]`, `${at(number(e, "cx"), number(e, "cy"))} circle (${number(e, "r") / unit})`);
    } else if (e.tagName === "rect") {
      const [x, y, w, h] = ["x", "y", "width", "height"].map((n) => number(e, n));
      const style = classes.contains("cell") ? "draw=gray" : wide;
      draw(`\\draw[fill=${fill(classes)},${style}]`, `${at(x, y)} rectangle ${at(x + w, y + h)}`);
    } else if (e.tagName === "polyline") {
      const points = e.getAttribute("points").split(" ").map((p) => at(...p.split(",").map(Number)));
      draw(`\\draw[${pen(classes)}]`, points.join(" -- "));
    } else if (classes.contains("piece") || classes.contains("hole")) {
      const shapes = [...e.getAttribute("d").matchAll(/M(-?\d+) (-?\d+)((?:[hv]-?\d+)+)z/gi)].map(([, x, y, sides]) => {
        const corners = [[Number(x), Number(y)]];
        for (const [, way, length] of sides.matchAll(/([hv])(-?\d+)/g)) {
          const [a, b] = corners[corners.length - 1];
          corners.push(way === "h" ? [a + Number(length), b] : [a, b + Number(length)]);
        }
        return `${corners.map((c) => at(...c)).join(" -- ")} -- cycle`;
      });
      const head = classes.contains("hole") ? `\\fill[${fill(classes)}]` : `\\draw[fill=${fill(classes)},${wide}]`;
      shapes.forEach((shape) => draw(head, shape));
    } else if (e.tagName === "path") {
      const lines = [...e.getAttribute("d").matchAll(/M(-?\d+)[ ,](-?\d+)([Ll])(-?\d+)[ ,](-?\d+)/g)];
      const drawn = lines.map(([, x, y, kind, u, v]) => {
        const [a, b, c, d] = [x, y, u, v].map(Number);
        return `${at(a, b)} -- ${kind === "l" ? at(a + c, b + d) : at(c, d)}`;
      });
      if (drawn.length) draw(`\\draw[${pen(classes)}]`, drawn.join(" "));
    } else if (e.tagName === "text") {
      const kept = classes.contains("line");
      const style = kept ? "anchor=base west,font=\\scriptsize\\ttfamily" : "anchor=base,font=\\scriptsize";
      last = "";
      const node = (x, text) => out.push(`\\node[${style}] at ${at(x, number(e, "y"))} {${escape(text, kept)}};`);
      // Letters of a row have a place each.
      const places = e.getAttribute("x").split(" ").map(Number);
      if (places.length > 1) places.forEach((x, i) => node(x, [...e.textContent][i]));
      else node(places[0], e.textContent);
    }
  }
  const defined = [...used].map((name) => `\\definecolor{halma${name}}{HTML}{${colours[name]}}`);
  return ["\\begin{tikzpicture}[scale=.5]", ...defined, ...out, "\\end{tikzpicture}", ""].join("\n");
}

// The player: any board of the solution can stand on the stage.
const players = [...document.querySelectorAll(".player:not(.still)")];
for (const player of players) {
  const prefix = player.dataset.prefix;
  const stage = player.querySelector(".stage");
  const moves = player.querySelector(".moves");
  const items = [...moves.children];
  const sheet = player.nextElementSibling?.matches(".sheet") ? player.nextElementSibling : null;
  const boards = sheet ? [...sheet.querySelectorAll(".boards li")] : [];
  const now = player.querySelector(".now");
  const slider = player.querySelector("input[type=range]");
  const count = player.querySelector(".count");
  const play = player.querySelector("[data-do=play]");
  const done = player.querySelector(".done");
  const last = items.length - 1;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const first = stage.querySelector("svg");
  let at = 0;
  let timer = 0;

  // The man who has moved goes the way that his move names.
  function glide(board) {
    const man = board.querySelector(".man.moved");
    const path = board.dataset.path.split(" ").filter(Boolean).map((p) => p.split(",").map(Number));
    if (still.matches || !man || path.length < 2) return;
    const end = path[path.length - 1];
    const steps = path.map(([x, y]) => ({ transform: `translate(${x - end[0]}px, ${y - end[1]}px)` }));
    man.animate(steps, { duration: Math.min(200 * (path.length - 1), 1200), easing: "ease-in-out" });
  }

  // Of a page that shows no boards below: the men of the start, moved.
  function played(number) {
    const board = first.cloneNode(true);
    const men = [...board.querySelectorAll(".man")];
    const middle = (man) => man.tagName === "circle"
      ? [man.cx.baseVal.value, man.cy.baseVal.value]
      : [man.x.baseVal.value + man.width.baseVal.value / 2, man.y.baseVal.value + man.height.baseVal.value / 2];
    for (let i = 1; i <= number; i++) {
      const path = items[i].dataset.path.split(" ").map((p) => p.split(",").map(Number));
      const [from, to] = [path[0], path[path.length - 1]];
      const man = men.find((m) => middle(m).every((v, k) => v === from[k]));
      const names = man.tagName === "circle" ? ["cx", "cy"] : ["x", "y"];
      names.forEach((n, k) => man.setAttribute(n, Number(man.getAttribute(n)) + to[k] - from[k]));
      man.setAttribute("class", `man ${items[i].dataset.man}${i === number ? " moved" : ""}`);
    }
    if (number) {
      const path = items[number].dataset.path;
      const drawn = (name, attributes) => {
        const e = document.createElementNS(board.namespaceURI, name);
        Object.entries(attributes).forEach(([k, v]) => e.setAttribute(k, v));
        board.insertBefore(e, men[0]);
      };
      board.querySelectorAll(".lane").forEach((e) => e.remove());
      const [x, y] = path.split(" ")[0].split(",");
      drawn("circle", { class: "left", cx: x, cy: y, r: 5 });
      drawn("polyline", { class: "move", points: path });
      board.dataset.path = path;
      board.querySelector("title").textContent = `After move ${items[number].textContent}`;
    }
    return board;
  }

  function board_of(number) {
    if (boards.length) {
      const board = boards[number].querySelector("svg").cloneNode(true);
      const names = first.querySelector(".names");
      if (names && !board.querySelector(".names")) board.querySelector("use").after(names.cloneNode(true));
      return board;
    }
    const kept = player.querySelectorAll("template");
    return kept.length ? kept[number].content.firstElementChild.cloneNode(true) : played(number);
  }

  function show(number, glides) {
    at = Math.max(0, Math.min(last, number));
    const board = board_of(at);
    stage.replaceChildren(board);
    const item = items[at];
    now.textContent = item.textContent;
    slider.value = at;
    slider.setAttribute("aria-valuetext", now.textContent);
    count.textContent = `${at} / ${last}`;
    player.dataset.at = at;
    for (const list of [items, boards]) list.forEach((li, i) => li.classList.toggle("at", i === at));
    items.forEach((li, i) => (i === at ? li.firstElementChild.setAttribute("aria-current", "step") : li.firstElementChild.removeAttribute("aria-current")));
    // The list scrolls, not the page.
    const [top, height] = [item.offsetTop - moves.offsetTop, item.offsetHeight];
    if (top < moves.scrollTop || top + height > moves.scrollTop + moves.clientHeight) {
      moves.scrollTop = top - moves.clientHeight / 2;
    }
    light(`move:${item.id}`);
    if (glides) glide(board);
    if (at === last) pause();
  }

  // The address names the move.
  function name() {
    if (framed) return;
    history.replaceState(null, "", at || location.hash ? `#${items[at].id}` : location.pathname);
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

  const go = (number, glides) => { pause(); show(number, glides); name(); };
  const deeds = {
    first: () => go(0, false),
    back: () => go(at - 1, false),
    on: () => go(at + 1, true),
    last: () => go(last, false),
    play: () => (timer ? (pause(), name()) : start()),
    copy: () => take(player.querySelector(".copied").defaultValue, done, player.querySelector(".copied")),
    tikz: () => take(tikz(stage.querySelector("svg")), done, player.querySelector(".copied")),
    link: () => { name(); take(location.href, done, player.querySelector(".copied")); },
    print: () => print(),
  };
  const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play" };

  const click = (event) => {
    const link = event.target.closest(".moves a");
    if (link) {
      event.preventDefault();
      go(items.indexOf(link.parentElement), true);
    }
    const button = event.target.closest("button");
    if (button?.dataset.do) deeds[button.dataset.do]();
    if (button?.dataset.to) {
      go(Number(button.dataset.to), true);
      player.scrollIntoView({ block: "nearest" });
    }
  };
  player.addEventListener("click", click);
  sheet?.addEventListener("click", click);
  slider.addEventListener("input", () => go(Number(slider.value), false));
  const press = (event) => {
    const busy = event.target.closest("input, textarea, button, summary, a, .moves");
    const own = event.key.startsWith("Arrow") && event.target.closest("button, .moves a");
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key] || (busy && !own)) return;
    event.preventDefault();
    deeds[keys[event.key]]();
  };
  player.addEventListener("keydown", press);
  // Without the focus, only the keys that scroll nothing.
  if (players.length === 1) {
    document.addEventListener("keydown", (event) => {
      const free = event.target === document.body || event.target.id === "main";
      if (free && ["ArrowLeft", "ArrowRight"].includes(event.key)) press(event);
    });
  }
  const asked = () => {
    const number = items.findIndex((li) => `#${li.id}` === location.hash);
    if (number < 0) return;
    player.closest("details.chapter")?.setAttribute("open", "");
    pause();
    show(number, false);
    // The browser has gone to the item of the list; the board is to be seen, too.
    const chapter = player.closest("details.chapter");
    const go_up = () => (chapter ? chapter.scrollIntoView() : scrollTo(0, 0));
    requestAnimationFrame(go_up);
    if (document.readyState !== "complete") addEventListener("load", () => setTimeout(go_up), { once: true });
  };
  addEventListener("hashchange", asked);
  player.querySelector(".controls").hidden = false;
  player.querySelector(".tools").hidden = false;
  player.querySelector("[data-do=link]").hidden = framed;
  show(0, false);
  asked();
}

// There a link to a part of the page would lead to the notebook's.
if (framed) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (!link || event.defaultPrevented) return;
    event.preventDefault();
    const part = document.getElementById(link.getAttribute("href").slice(1));
    part?.scrollIntoView();
    part?.focus();
  });
}

// A chapter that a link leads to is opened.
function open_chapter() {
  const chapter = document.getElementById(location.hash.slice(1));
  if (chapter?.matches("details")) chapter.open = true;
}
addEventListener("hashchange", open_chapter);
open_chapter();

// Points of plots and what they stand for: rows of tables, moves.
function light(row) {
  const kind = row.startsWith("move:") ? '[data-row^="move:"]' : ':not([data-row^="move:"])';
  document.querySelectorAll(`.lit${kind}`).forEach((e) => e.classList.remove("lit"));
  document.querySelectorAll(`[data-row="${row}"]`).forEach((e) => e.classList.add("lit"));
}
document.addEventListener("pointerover", (event) => {
  const row = event.target.closest?.("[data-row]")?.dataset.row;
  if (row && !row.startsWith("move:")) light(row);
});
document.addEventListener("click", (event) => {
  const row = event.target.closest?.(".point")?.dataset.row;
  if (!row) return;
  if (row.startsWith("move:")) {
    document.getElementById(row.slice(5))?.firstElementChild.click();
    return;
  }
  const line = document.querySelector(`tr[data-row="${row}"]`);
  line?.closest("details")?.setAttribute("open", "");
  line?.scrollIntoView({ block: "center" });
  light(row);
});

// Texts with a button.
for (const button of document.querySelectorAll("[data-copy]")) {
  const text = button.closest(".take").querySelector("pre");
  const said = button.closest("p").appendChild(document.createElement("span"));
  said.className = "done";
  said.setAttribute("role", "status");
  button.addEventListener("click", () => {
    getSelection().selectAllChildren(text);
    take(text.textContent, said, null);
  });
  button.hidden = false;
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
const chosen = () => root.dataset.theme ?? (dark.matches ? "dark" : "light");
const label = () => { theme.textContent = chosen() === "dark" ? "Light" : "Dark"; };
theme.addEventListener("click", () => {
  root.dataset.theme = chosen() === "dark" ? "light" : "dark";
  label();
});
dark.addEventListener("change", label);
label();
theme.hidden = false;
