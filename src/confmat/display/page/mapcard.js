// The card of the heat map: its choices, its legend, what the pointer reads, and the state that it shares.

import { announce, byId, el, name, placeBeside } from "./dom.js";
import { reading } from "./details.js";
import { known, words } from "./differences.js";
import { connect } from "./controls.js";
import { findCell, gridOf, orderOf, runsOf, spanOf, unitsOf } from "./grid.js";
import { HeatMap, louder } from "./heatmap.js";
import { shade, shadeOfDifference, ticks } from "./colours.js";
import { count, many, points, signed } from "./numbers.js";
import { foldAt, membersOf } from "./payload.js";
import { BOTH, modelsOf } from "./state.js";
import { centred, whole, zoomed } from "./view.js";

export class MapCard {
  constructor(data, store) {
    this.data = data;
    this.store = store;
    this.canvas = byId("map");
    this.map = new HeatMap(this.canvas);
    byId("map-key").textContent = data.key && `Here and in lists ${data.key}; the table of classes has them whole.`;
    this.connectChoices();
    connect(this.map, {
      view: (view) => this.setView(view),
      hover: (place, event) => this.hover(place, event),
      pick: (place) => this.pick(place),
      cursor: (place) => this.cursor(place),
      clear: () => store.open(),
    });
    store.listen(() => this.rebuild(), "show", "base", "other", "norm", "only", "one");
    store.listen(() => this.rebuild(true), "order", "fold");
    store.listen(() => this.mark(), "focus", "cell", "fold", "order");
    store.listen(({ view }) => view === null && this.map.setView(whole(this.map.grid.n)), "view");
    new ResizeObserver(() => this.fitRoom()).observe(byId("map-place"));
    this.canvas.addEventListener("focus", () => this.canvas.matches(":focus-visible") && this.cursor(this.map.marks.cursor ?? this.corner()));
    this.canvas.addEventListener("blur", () => this.map.setMarks({ cursor: null }));
  }

  /** The colours that the style sheet names, for the canvas. */
  setTheme(theme) {
    const style = getComputedStyle(document.documentElement);
    const colours = Object.fromEntries(
      ["ink", "muted", "faint", "card", "accent", "bar", "tp", "fp", "fn", "tn"].map((word) => [
        word, style.getPropertyValue(`--${word}`).trim(),
      ]),
    );
    this.map.setTheme(theme, colours);
    this.legend();
  }

  start() {
    if (matchMedia("(pointer: coarse)").matches) byId("reading").textContent = "Tap a cell, or pinch to zoom.";
    this.fitRoom();
    this.rebuild();
    const { view } = this.store.get();
    if (view) this.map.setView({ x: view[0], y: view[1], span: view[2] });
    this.mark();
  }

  fitRoom() {
    const width = byId("map-place").clientWidth;
    if (!width) return;
    const below = window.innerHeight - byId("map-place").getBoundingClientRect().top - window.scrollY - 58;
    // A map of many classes has the width of the page.
    const room = document.body.classList.contains("vast") ? Math.min(width, Math.max(560, window.innerHeight - 60)) : Math.max(420, Math.min(720, below));
    if (this.room?.width === width && this.room.height === room) return;
    this.room = { width, height: room };
    this.map.setRoom(width, room);
  }

  rebuild(moved = false) {
    const { data, store, map } = this;
    const state = store.get();
    const models = modelsOf(data, state);
    const order = orderOf(state.order, data, models.at(-1));
    const units = unitsOf(data, order, state.fold);
    this.test = known(data, state);
    const ofCell = (row, col) => (Math.max(row, col) < data.labels.length ? this.test.ofCell(row, col) : 0);
    map.setGrid(gridOf(models, units), state.norm, runsOf(data, units.place), state.only, state.one, ofCell,
      models[0].rate !== null && !data.finds);
    if (moved) this.setView(whole(map.grid.n));
    this.canvas.setAttribute("aria-label",
      `Heat map of ${count(map.grid.n)} actual classes by ${count(map.grid.n)} predicted ones. Arrow keys read cells.`);
    this.legend();
    this.showChoices();
  }

  // ---- what is looked at -----------------------------------------------------------------------------------

  corner() {
    const { view } = this.map;
    return [Math.floor(view.y), Math.floor(view.x)];
  }

  setView(view) {
    const { map, store } = this;
    map.setView(view);
    const { x, y, span } = map.view;
    const all = span >= map.grid.n;
    this.canvas.classList.toggle("zoomed", !all);
    clearTimeout(this.told);
    // The address need not follow every frame.
    this.told = setTimeout(() => store.set({ view: all ? null : [x, y, span] }), 150);
  }

  mark() {
    const { focus, cell } = this.store.get();
    const spans = cell?.map((id) => this.span(id));
    this.map.setMarks({ focus: focus === null ? null : this.span(focus), cell: spans?.every(Boolean) ? spans : null });
  }

  /** Brings a cell before the eyes. */
  reveal(row, col) {
    const { place, n } = this.map.grid;
    const [down, across] = [row, col].map((id) => this.span(id)?.start ?? place[membersOf(this.data, id)[0]]);
    this.setView(centred(this.map.view, down, across, n));
    byId("map-card").scrollIntoView({ block: "nearest" });
  }

  /** What a click, a tap or Enter means: a cell, a class or a group. */
  pick(place) {
    const { units } = this.map.grid;
    const id = this.idAt(place);
    if (place.zone === "cell") this.store.open({ cell: [id, units[place.col].id] });
    else this.store.open({ focus: id });
  }

  /** The class or the group at a place beside the cells. */
  idAt({ zone, row, depth }) {
    const { runs, grid } = this.map;
    const run = zone === "group" && runs.find((one) => one.depth === depth && row >= one.start && row < one.start + one.size);
    return run ? run.id : grid.units[row].id;
  }

  span(id) {
    return spanOf(this.data, this.map.grid.place, id);
  }

  words(row, col) {
    const { grid, values, norm, ofCell } = this.map;
    const at = findCell(grid, row, col);
    const read = reading(grid, row, col, at);
    if (!this.map.difference) return read;
    const named = modelsOf(this.data, this.store.get()).map((model, which) => `${model.name}: ${read.parts[which]}`);
    const gap = at < 0 ? 0 : values[at];
    const told = ["none", "excess"].includes(norm) ? signed(norm === "none" ? gap : Math.round(gap), count) : `${points(gap)} pp of ${norm}`;
    const said = at < 0 ? "" : `, ${words({ said: ofCell(grid.units[row].id, grid.units[col].id) })}`;
    return { ...read, parts: [...named, `new − old: ${told}${said}`] };
  }

  cursor(place) {
    this.map.setMarks({ cursor: place });
    const { actual, predicted, parts } = this.words(...place);
    const told = parts.join("; ");
    byId("reading").replaceChildren(name(actual), " → ", name(predicted), `: ${told}`);
    announce(`actual ${actual}, predicted ${predicted}: ${told}`);
  }

  hover(place, event) {
    const box = byId("hover");
    box.hidden = place === null;
    this.canvas.classList.toggle("over", place !== null);
    if (place === null) return;
    if (place.zone === "cell") {
      const { actual, predicted, parts } = this.words(place.row, place.col);
      box.replaceChildren(
        el("div", {}, el("span", { class: "muted" }, "actual "), name(actual)),
        el("div", {}, el("span", { class: "muted" }, "predicted "), name(predicted)),
        ...parts.map((part) => el("div", { class: "part" }, part)),
      );
    } else {
      const { data } = this;
      const id = this.idAt(place);
      const items = many(modelsOf(data, this.store.get()).at(-1).actual[id], "item");
      box.replaceChildren(el("div", {}, name(data.names[id])), el("div", { class: "muted" },
        id < data.labels.length ? `${items}: click for its roles` : `${membersOf(data, id).length} classes, ${items}: click for its scores`));
    }
    placeBeside(box, event.clientX + 14, event.clientY + 14, event.clientY - 10);
  }

  // ---- choices ---------------------------------------------------------------------------------------------

  connectChoices() {
    const { data, store } = this;
    const on = (id, act) => byId(id).addEventListener("change", ({ target }) => store.set(act(target.value, target.checked)));
    on("norm", (norm) => ({ norm }));
    on("order", (order) => ({ order }));
    on("only", (_, only) => ({ only }));
    on("one", (_, one) => ({ one }));
    on("show", (show) => ({ show: show === BOTH ? show : Number(show), view: null }));
    on("base", (base) => ({ base: Number(base) }));
    on("other", (other) => ({ other: Number(other) }));
    on("fold", (depth) => ({ fold: depth === "" ? new Set() : foldAt(data, Number(depth)) }));
    const zoom = (factor) => {
      const { view, grid } = this.map;
      this.setView(zoomed(view, factor, view.x + view.span / 2, view.y + view.span / 2, grid.n));
    };
    byId("zoom-in").onclick = () => zoom(1.6);
    byId("zoom-out").onclick = () => zoom(1 / 1.6);
    byId("zoom-all").onclick = () => this.setView(whole(this.map.grid.n));
  }

  showChoices() {
    const { data, store } = this;
    const state = store.get();
    for (const id of ["norm", "order", "show", "base", "other"]) byId(id).value = String(state[id]);
    byId("one").checked = state.one;
    byId("one-choice").hidden = state.show === BOTH;
    byId("show-choice").hidden = data.models.length < 2 || data.sweep;
    byId("pair-choice").hidden = data.models.length < 3 || state.show !== BOTH;
    byId("only").checked = state.only;
    byId("only-choice").hidden = !data.models[0].rate;
    byId("fold-choice").hidden = !data.groups.length;
    const folds = [...new Set(data.groups.map(({ depth }) => depth))].map((depth) => foldAt(data, depth));
    const now = folds.findIndex((fold) => fold.size === state.fold.size && [...fold].every((at) => state.fold.has(at)));
    const option = (value, text, chosen) => el("option", { value, selected: chosen }, text);
    byId("fold").replaceChildren(option("", "no groups", !state.fold.size),
      ...folds.map((fold, depth) => option(String(depth), many(fold.size, "group"), depth === now)),
      state.fold.size && now < 0 ? option("", "some groups", true) : "");
  }

  /** What the shades mean: strips of colours with a few values at the places of their shades. */
  legend() {
    const { map } = this;
    if (!map.grid || !map.palette) return;
    const { norm } = this.store.get();
    const excess = norm === "excess";
    const rate = norm !== "none" && norm !== "cost" && !excess;
    const write = (value) => (rate && value ? `${Number((100 * value).toPrecision(3))}%` : count(excess ? Math.round(value) : value));
    const swatch = (text, kind) => el("span", { class: "scale" }, el("span", {}, text), el("span", { class: `swatch ${kind}` }));
    const strip = (hue, text, values, place, after) => {
      const canvas = el("canvas", { width: "256", height: "1", "aria-hidden": "true" });
      const pen = canvas.getContext("2d");
      const { ramps } = map.palette;
      ramps[hue].forEach((_, i) => {
        pen.fillStyle = `rgb(${ramps[hue][hue === "error" && map.tested ? louder(i) : i].join(" ")})`;
        pen.fillRect(i, 0, 1, 1);
      });
      const unit = after ? " pp" : "%";
      const texts = values.map((value) => write(Math.abs(value)).replace("%", unit));
      const marks = texts.map((tick, at) => {
        const mark = el("span", { class: "tick" }, tick);
        mark.style.left = `${(100 * place(values[at])) / 255}%`;
        return mark;
      });
      const told = `${text}, ${texts.join(", ")}${after ?? ""}`;
      return el("span", { class: "scale", role: "img", "aria-label": told },
        el("span", {}, text), el("span", { class: "strip" }, canvas, marks), after);
    };
    const { most, difference } = map.scale;
    const scale = (hue, text, top) =>
      strip(hue, text, ticks(top, excess || (!rate && Number.isInteger(top))), (value) => (value ? shade(value, top) : 0));
    const wrong = this.data.finds ? [["error", "confused"], ["missed", "missed"], ["ghost", "ghosts"]] : [["error", "errors"]];
    byId("legend").replaceChildren(
      ...(map.difference
        ? [
          strip("difference", "new − old: worse", [-difference, 0, difference], (value) => shadeOfDifference(value, difference), " better"),
          swatch("may be nothing", "")]
        : [
          ...wrong.map(([hue, text]) => scale(hue, excess ? `${text}, excess` : norm === "cost" ? "cost" : text, most[1])),
          map.tested && !this.store.get().only ? swatch("not beyond chance", "quiet") : "",
          most[0] ? scale("hit", "hits", most[0]) : "",
        ]),
    );
  }
}
