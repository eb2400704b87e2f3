// The table of classes: scores per class, the worst first; of two models their difference.

import { bar, byId, el, nameButton, reach } from "./dom.js";
import { HOLDS, follows, gapAndRange, gapOf, heading, known } from "./differences.js";
import { count, minus, score } from "./numbers.js";
import { BOTH } from "./state.js";
import { lostOf, shownAs } from "./payload.js";
import { SortableTable, matches, sorted } from "./tables.js";
import { trendColumn } from "./trend.js";

const PAGE = 50;

export class ClassTable {
  constructor(data, store) {
    this.data = data;
    this.store = store;
    this.built = "";
    byId("class-filter").addEventListener("input", (event) => store.set({ find: event.target.value }));
    store.listen((state, before) => {
      if (["show", "base", "other", "sort", "find", "fold"].some((key) => state[key] !== before[key])) this.update();
    });
    this.update();
  }

  update() {
    const { data, store } = this;
    const state = store.get();
    const built = `${state.show} ${state.base} ${state.other}`;
    if (built !== this.built) {
      this.built = built;
      this.columns = state.show === BOTH ? this.compared() : this.single(data.models[state.show]);
      this.table = new SortableTable(byId("class-table"), {
        caption: "Scores of each class",
        columns: this.columns,
        page: PAGE,
        onSort: (...sort) => store.set({ sort }),
      });
    }
    const field = byId("class-filter");
    if (field.value !== state.find) field.value = state.find;
    const all = [...new Set(shownAs(data, state.fold).subarray(0, data.classes))];
    const found = state.find.trim() ? all.filter((i) => matches(data.names[i], state.find.trim())) : all;
    const column = this.columns.find((one) => one.key === state.sort[0]) ?? this.columns.at(-1);
    byId("class-about").replaceChildren(...this.about(state));
    const value = this.isFirst(state.sort) ? column.held ?? column.value : column.value;
    this.table.show(sorted(found, value, state.sort[1] === "up"), state.sort, this.means());
  }

  isFirst([key, direction]) {
    return key === this.data.sort[0] && direction === this.data.sort[1];
  }

  /** What the order of the beginning means. */
  about({ show, base, other, sort }) {
    const { models } = this.data;
    const first = this.isFirst(sort);
    if (show === BOTH) return [...heading(models[other], models[base]), ". Hollow and grey: may be nothing.", first ? " Shown to differ first, then the largest loss of F1." : ""];
    if (!first) return [];
    return [sort[0] === "lost" ? "Worst first, by the items that were lost." : "Worst F1 first."];
  }

  nameColumn() {
    const { data, store } = this;
    return {
      key: "name",
      title: "class",
      head: true,
      value: (i) => data.names[i],
      cell: (i) => nameButton(data.names[i], () => store.set({ focus: i, cell: null })),
    };
  }

  supportColumn(model) {
    const most = model.actual.subarray(0, this.data.classes).reduce((a, b) => Math.max(a, b), 0);
    return {
      key: "support",
      title: "items",
      tip: "How many items are of the class. Scores of a class with few items are uncertain.",
      number: true,
      class: "support",
      value: (i) => model.actual[i],
      cell: (i) => [bar(model.actual[i] / most), el("span", { class: "figure" }, count(model.actual[i]))],
    };
  }

  single(model) {
    const f1 = model.values[this.data.metrics.findIndex(({ key }) => key === "f1")];
    const bounds = model.low ? [{ key: "low", title: "F1 from 0 to 1", tip: "F1 as a dot and its 95 % interval as a line: long where the items are few. Sorted by the lower end.",
      low: true, number: true, value: (i) => model.low[i], cell: (i) => reach(f1[i], model.low[i], model.high[i]) }] : [];
    const scores = this.data.metrics.map((metric, at) =>
      metricColumn(metric, metric.title, metric.tip, (i) => model.values[at][i], (i) => score(model.values[at][i])));
    const lost = { key: "lost", title: "lost", tip: "How many items of the class were answered otherwise.", number: true,
      value: (i) => lostOf(model, i), cell: (i) => count(lostOf(model, i)) };
    return [this.nameColumn(), this.supportColumn(model), lost, ...this.trend(), ...scores, ...bounds];
  }

  trend() {
    return follows(this.data) && this.data.tests.trend ? [trendColumn(this.data)] : [];
  }

  compared() {
    const { data, store } = this;
    const { base, other } = store.get();
    const [old, fresh] = [data.models[base], data.models[other]];
    const test = known(data, base, other);
    const gaps = data.metrics.map((metric, at) => {
      const gap = (i) => minus(fresh.values[at][i], old.values[at][i]);
      // What is shown to differ comes first, whatever else seems larger.
      const held = (i) => gap(i) - (test.ofClass(metric.key, i).said === HOLDS ? 10 : 0);
      return { held, ...metricColumn(metric, `Δ ${metric.title}`, `${fresh.name} minus ${old.name}. ${metric.tip}`, gap, (i) => {
        const [shown, range] = gapAndRange(gap(i), metric.better, test.ofClass(metric.key, i), true);
        return [shown, el("span", { class: "both" }, `${score(old.values[at][i])} → ${score(fresh.values[at][i])}`), range];
      }) };
    });
    return [this.nameColumn(), this.supportColumn(fresh), ...this.trend(), ...gaps];
  }

  /** Means over the classes, below them. */
  means() {
    const { data, store } = this;
    const state = store.get();
    const compared = state.show === BOTH;
    const [old, fresh] = compared ? pairOf(data, state) : [null, data.models[state.show]];
    const lost = () => (compared ? [] : [el("td", {})]);
    const extra = () => (!compared && fresh.low ? [el("td", {})] : []);
    const trend = () => this.trend().map(() => el("td", {}));
    return fresh.averages.map((mean, which) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, mean.title),
        el("td", { class: "number support" }, el("span", { class: "figure" }, count(fresh.support))),
        lost(),
        trend(),
        mean.values.map((value, at) => {
          if (!compared) return el("td", { class: "number" }, score(value));
          const { key, better } = data.metrics[at];
          const asked = data.overall.findIndex((one) => one.key === `${key}.${mean.title}`);
          const said = asked < 0 ? 0 : known(data, state.base, state.other).overall(asked).said;
          return el("td", { class: "number" }, gapOf(minus(value, old.averages[which].values[at]), better, said));
        }),
        extra(),
      ),
    );
  }
}

function metricColumn(metric, title, tip, value, cell) {
  return { key: metric.key, title, tip, number: true, low: metric.better === "higher", value, cell };
}

/** The two models that are compared: the base, and the other one. */
export function pairOf(data, state) {
  return [data.models[state.base], data.models[state.other]];
}
