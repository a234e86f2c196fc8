// The searches that were asked for: a list, and one of them in full, live while it goes on.

import { ask, make, save } from "./ask.js";
import { player } from "./player.js";

/** While something is under way, and while nothing is. */
const OFTEN = 300;
const SELDOM = 5000;
const OPEN = ["waiting", "running"];

const grouped = (number) => Math.round(number).toLocaleString("en-US");

export function time(seconds) {
  if (seconds < 1) return "under 1 s";
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const first = units.findIndex(([size]) => seconds >= size);
  return units.slice(first, first + 2).map(([size, name], i) => {
    const number = Math.floor((i ? seconds % units[first][0] : seconds) / size);
    return number ? `${number} ${name}` : "";
  }).filter(Boolean).join(" ");
}

export class Searches {
  constructor({ section, list, place, say, lost }) {
    Object.assign(this, { section, list, place, say, lost });
    this.begin(null);
    this.stages = new Map();
    this.timer = 0;
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.poll(); });
  }

  /** Shows a search that was just asked for. */
  choose(id) {
    if (this.chosen !== id) this.begin(id);
    return this.poll();
  }

  /** Begins with a search, or with none: nothing of the one before stays. */
  begin(id) {
    this.chosen = id;
    this.drawn = null;
    this.levels = [];
    this.place.replaceChildren();
  }

  async poll() {
    clearTimeout(this.timer);
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    let open = false;
    try {
      open = await this.refresh();
    } finally {
      // Whatever went wrong, it is asked again.
      this.busy = false;
      const soon = this.again;
      this.again = false;
      if (soon) this.poll();
      else if (!this.locked && (!document.hidden || open)) this.timer = setTimeout(() => this.poll(), open ? OFTEN : SELDOM);
    }
  }

  async refresh() {
    const { status, value } = await ask("GET", "/api/jobs");
    this.lost(status === 200 ? null : value.message);
    // Without the token there is nothing to wait for.
    this.locked = status === 401;
    if (status !== 200) return false;
    this.section.hidden = value.length === 0;
    for (const search of value) {
      const before = this.stages.get(search.id);
      if (before && before !== search.stage && !OPEN.includes(search.stage)) this.say(search.sentence ?? search.stage);
      this.stages.set(search.id, search.stage);
    }
    if (this.chosen === null && value.length) {
      this.begin((value.find((search) => search.stage === "running") ?? value[value.length - 1]).id);
    }
    this.show(value);
    if (this.chosen !== null) await this.detail();
    return value.some((search) => OPEN.includes(search.stage));
  }

  show(all) {
    const key = JSON.stringify([all, this.chosen]);
    if (key === this.key) return;
    this.key = key;
    const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    this.list.replaceChildren(...all.map((search) => {
      const button = make("button", { type: "button", click: () => this.choose(search.id) },
        make("span", { className: `stage-name ${search.stage}`, textContent: search.stage }),
        make("span", { textContent: `${search.asked}: ${search.about}` }));
      button.dataset.id = search.id;
      if (search.id === this.chosen) button.setAttribute("aria-current", "true");
      return make("li", {}, button);
    }).reverse());
    if (focused) this.list.querySelector(`[data-id="${focused}"]`)?.focus();
  }

  async detail() {
    const id = this.chosen;
    const { status, value } = await ask("GET", `/api/jobs/${id}?from=${this.levels.length}`);
    if (id !== this.chosen) return;
    if (status === 404) {
      // The studio has forgotten it, or has begun anew.
      this.begin(null);
      return;
    }
    if (status !== 200) return;
    this.levels.push(...value.live.levels);
    const stage = `${id} ${value.stage}`;
    if (stage !== this.drawn) {
      this.drawn = stage;
      await this.lay(value);
    }
    if (value.stage === "running") this.live(value.live);
  }

  /** Lays out what a search in this stage shows. */
  async lay(search) {
    const title = make("h3", { textContent: `${search.asked}: ${search.about}` });
    const cancel = make("button", { type: "button", textContent: "Cancel", click: () => this.cancel(search.id) });
    cancel.dataset.do = "cancel";
    this.place.className = search.stage;
    if (search.stage === "waiting") {
      this.place.replaceChildren(title, make("p", { textContent: "Waits until the searches before it have ended." }), cancel);
      return;
    }
    if (search.stage === "running") {
      this.bar = make("progress", { max: 1, value: 0 });
      this.bar.setAttribute("aria-label", "This level");
      this.told = make("p", { className: "told" });
      this.left = make("p", { className: "left-time" });
      this.rows = make("tbody");
      this.place.replaceChildren(title, this.told, this.bar, this.left, cancel, table(this.rows));
      this.shown = 0;
      return;
    }
    if (search.stage === "cancelled" || search.stage === "failed") {
      const why = search.stage === "failed" ? search.sentence : "Cancelled before it began.";
      this.place.replaceChildren(title, make("p", { className: "claim", textContent: why }));
      return;
    }
    await this.ended(search, title);
  }

  async ended(search, title) {
    const claim = make("p", { className: "claim", textContent: search.sentence });
    const place = make("div", {});
    const files = make("div", { className: "row files" });
    for (const [file, name] of [["job.toml", "Job"], ["result.json", "Record"], ["report.html", "Report"]]) {
      files.append(make("button", {
        type: "button",
        textContent: `${name} ↓`,
        title: `Download ${file}`,
        click: () => save(`/api/jobs/${search.id}/${file}`, file).catch((error) => this.say(error.message)),
      }));
    }
    const open = make("a", { className: "button", href: search.report, target: "_blank", rel: "noopener", textContent: "Open the report" });
    files.prepend(open);
    if (search.stage === "stopped") {
      files.prepend(make("button", { type: "button", className: "main", textContent: "Go on", click: () => this.goOn(search) }));
    }
    const kept = make("p", { className: "hint" }, "Kept in ", make("code", { textContent: search.folder }));
    const rows = make("tbody");
    this.levels.forEach((level) => rows.append(row(level)));
    const levels = this.levels.length ? make("details", {}, make("summary", { textContent: "Levels" }), table(rows)) : null;
    const moves = search.moves?.length ? make("details", {}, make("summary", { textContent: "Moves" }),
      make("ol", { className: "moves" }, ...search.moves.map((move) => make("li", { textContent: move })))) : null;
    this.place.replaceChildren(...[title, claim, place, files, kept, moves, levels].filter(Boolean));
    if (!search.moves) return;
    const { status, value } = await ask("GET", `/api/jobs/${search.id}/solution`);
    if (status === 200) player(place, value);
  }

  live(live) {
    const part = live.states ? live.expanded / live.states : 0;
    const length = live.length === null ? "" : `Length ${live.length}. `;
    const level = live.level === null ? "" : `Level ${live.level}, ${live.side}: ${grouped(live.states)} states to expand, ${(part * 100).toFixed(0)} % done.`;
    this.told.textContent = length + level || live.notes.at(-1) || "It begins.";
    this.bar.value = part;
    const left = [];
    if (live.level_left !== null) left.push(`about ${time(live.level_left)} left for this level`);
    if (live.length_left !== null && live.length_left > 1) left.push(`about ${time(live.length_left)} for this length`);
    if (live.all_left !== null && live.all_left > 1) left.push(`about ${time(live.all_left)} for all below the ${live.known} moves that are known`);
    if (live.rate > 0) left.push(`${(live.rate / 1e6).toFixed(1)} million successors a second`);
    this.left.textContent = left.join("; ");
    const news = this.levels.slice(this.shown);
    this.shown = this.levels.length;
    this.rows.prepend(...news.map(row).reverse());
  }

  async cancel(id) {
    await ask("POST", `/api/jobs/${id}/cancel`);
    this.poll();
  }

  async goOn(search) {
    const { status, value } = await ask("POST", `/api/jobs/${search.id}/again`);
    if (status === 201) this.choose(value.id);
    else this.say(value.message);
  }
}

function row(level) {
  const cells = [level.length ?? "", level.depth, level.side, grouped(level.states), grouped(level.generated), level.seconds.toFixed(1)];
  return make("tr", {}, ...cells.map((cell) => make("td", { textContent: cell })));
}

function table(rows) {
  const heads = ["length", "level", "side", "states", "generated", "seconds"];
  const head = make("tr", {}, ...heads.map((name) => make("th", { scope: "col", textContent: name })));
  const scroll = make("div", { className: "scroll", tabIndex: 0 }, make("table", {}, make("thead", {}, head), rows));
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Levels");
  return scroll;
}
