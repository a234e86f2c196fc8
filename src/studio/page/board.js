// A board whose cells can be set by mouse, finger and keyboard. It knows no rules: what a click does is its owner's business.

const SVG = "http://www.w3.org/2000/svg";
const UNIT = 20;

export function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export class Board {
  constructor(place, change) {
    this.place = place;
    this.change = change;
    this.cells = new Map();
    this.at = null;
    this.painting = null;
    this.pointer = "";
    addEventListener("pointerup", () => { this.painting = null; });
  }

  /** Lays a board out as the server describes it; `editable` cells take clicks. */
  lay(drawing, editable) {
    const had = this.place.contains(document.activeElement);
    this.cells.clear();
    const cells = [...drawing.cells].sort((a, b) => a.row - b.row || a.column - b.column);
    const rows = new Map();
    for (const cell of cells) {
      if (!rows.has(cell.y)) rows.set(cell.y, []);
      rows.get(cell.y).push(cell);
    }
    const svg = draw("svg", {
      viewBox: `0 0 ${drawing.width} ${drawing.height}`,
      role: editable ? "grid" : "img",
      "aria-label": editable ? "Board: arrow keys move, space sets" : "The board",
      class: "board",
    });
    if (editable) svg.setAttribute("aria-multiselectable", "true");
    if (drawing.grid) svg.append(draw("path", { class: "grid", d: drawing.grid }));
    for (const [, row] of [...rows].sort(([a], [b]) => a - b)) {
      row.sort((a, b) => a.x - b.x);
      const group = draw("g", editable ? { role: "row" } : {});
      for (const cell of row) group.append(this.cell(cell, drawing.squares, editable));
      svg.append(group);
    }
    svg.append(this.names(cells, drawing.squares));
    // Cells of a small board need not be larger than a thumb.
    svg.style.maxWidth = `${drawing.width * 3.4}px`;
    this.place.replaceChildren(svg);
    this.svg = svg;
    const first = this.cells.has(this.at) ? this.at : cells[0]?.name;
    if (editable && first) this.focusable(first);
    if (editable && had && first) this.cells.get(first).group.focus();
    if (editable) this.listen(svg);
  }

  cell(cell, squares, editable) {
    const { x, y } = cell;
    const ground = squares
      ? draw("rect", { class: "cell", x: x - UNIT / 2, y: y - UNIT / 2, width: UNIT, height: UNIT })
      : draw("circle", { class: "cell", cx: x, cy: y, r: UNIT * 2 / 5 });
    const man = draw("circle", { class: `man t${cell.kind}`, cx: x, cy: y, r: UNIT / 3 });
    const goal = draw("circle", { class: "goal", cx: x, cy: y, r: UNIT / 7 });
    const group = draw("g", editable ? { role: "gridcell", tabindex: -1 } : {}, ground, man, goal);
    group.dataset.cell = cell.name;
    this.cells.set(cell.name, { ...cell, group, ground, mark: "" });
    return group;
  }

  /** The names of columns and rows, each family on the side where it meets fewer cells and names. */
  names(cells, squares) {
    const group = draw("g", { class: "names", "aria-hidden": "true" });
    const taken = cells.map(({ x, y }) => ({ x, y, room: UNIT * 0.62 }));
    // What lies one cell further that way, on paper.
    const step = (dx, dy) => {
      const at = new Map(cells.map((cell) => [`${cell.column} ${cell.row}`, cell]));
      for (const cell of cells) {
        const other = at.get(`${cell.column + dx} ${cell.row + dy}`);
        if (other) return [other.x - cell.x, other.y - cell.y];
      }
      return squares ? [dx * UNIT, dy * UNIT] : [(dx - dy) * UNIT / 2, (dx + dy) * UNIT * 0.87];
    };
    const family = (key, dx, dy, text) => {
      const ends = new Map();
      for (const cell of cells) if (!ends.has(cell[key]) || dx + dy > 0) ends.set(cell[key], cell);
      const [x, y] = step(dx, dy);
      return [...ends.values()].map((cell) => ({ x: cell.x + x * 0.8, y: cell.y + y * 0.8, room: UNIT * 0.45, text: text(cell) }));
    };
    const hits = (names) => names.filter((name, i) => [...taken, ...names.slice(0, i)]
      .some((other) => Math.hypot(other.x - name.x, other.y - name.y) < Math.max(other.room, name.room))).length;
    for (const [key, dx, dy, text] of [
      ["row", 1, 0, (cell) => String(cell.row + 1)],
      ["column", 0, 1, (cell) => cell.name.replace(/\d+$/, "")],
    ]) {
      const [before, behind] = [family(key, -dx, -dy, text), family(key, dx, dy, text)];
      const names = hits(behind) < hits(before) ? behind : before;
      taken.push(...names);
      for (const { x, y, text } of names) {
        const label = draw("text", { x, y: y + 3 });
        label.textContent = text;
        group.append(label);
      }
    }
    return group;
  }

  /** What stands on the cells: `marks(name)` is a set of "army", "target", "hole". */
  show(marks) {
    for (const [name, cell] of this.cells) {
      const here = marks(name);
      const words = ["army", "target", "hole"].filter((word) => here.has(word));
      if (cell.mark === words.join(" ")) continue;
      cell.mark = words.join(" ");
      cell.group.setAttribute("class", cell.mark);
      this.label(name, cell, words);
    }
    for (const [name, cell] of this.cells) if (!cell.group.hasAttribute("aria-label")) this.label(name, cell, []);
  }

  label(name, cell, words) {
    if (!cell.group.hasAttribute("role")) return;
    cell.group.setAttribute("aria-label", [name, ...words].join(", "));
    cell.group.setAttribute("aria-selected", String(words.includes("army")));
  }

  focusable(name) {
    this.cells.get(this.at)?.group.setAttribute("tabindex", -1);
    this.at = name;
    this.cells.get(name).group.setAttribute("tabindex", 0);
  }

  listen(svg) {
    const cellOf = (event) => event.target.closest?.("[data-cell]")?.dataset.cell;
    svg.addEventListener("pointerdown", (event) => {
      const name = cellOf(event);
      this.pointer = event.pointerType;
      if (!name || event.button !== 0) return;
      this.focusable(name);
      // A finger scrolls; a mouse paints.
      if (event.pointerType === "touch") return;
      this.painting = this.change(name, null);
      this.cells.get(name)?.group.focus({ focusVisible: false });
      event.preventDefault();
    });
    svg.addEventListener("pointerover", (event) => {
      const name = cellOf(event);
      if (name && this.painting !== null && event.buttons === 1) this.change(name, this.painting);
    });
    svg.addEventListener("click", (event) => {
      const name = cellOf(event);
      // What a mouse or pen does is done already.
      if (name && (this.pointer === "touch" || event.detail === 0)) this.change(name, null);
    });
    svg.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      if (ways[event.key]) this.step(...ways[event.key]);
      else if (event.key === "Home" || event.key === "End") this.far(event.key === "End" ? 1 : -1);
      else if (event.key === " " || event.key === "Enter") this.change(this.at, null);
      else return;
      event.preventDefault();
    });
  }

  go(cell) {
    if (!cell) return;
    this.focusable(cell.name);
    cell.group.focus();
  }

  /** To the nearest cell that way; what lies off the line counts double. */
  step(dx, dy) {
    const here = this.cells.get(this.at);
    let best = null;
    let least = Infinity;
    for (const cell of this.cells.values()) {
      const [x, y] = [cell.x - here.x, cell.y - here.y];
      const along = x * dx + y * dy;
      const aside = Math.abs(x * dy) + Math.abs(y * dx);
      if (along <= 0 || aside > along) continue;
      const far = along + 2 * aside;
      if (far < least) [best, least] = [cell, far];
    }
    this.go(best);
  }

  /** To an end of the row. */
  far(way) {
    const here = this.cells.get(this.at);
    const row = [...this.cells.values()].filter((cell) => cell.y === here.y);
    this.go(row.reduce((a, b) => ((b.x - a.x) * way > 0 ? b : a)));
  }
}
