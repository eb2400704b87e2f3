// The table of classes: scores per class, the worst first; of two models their difference.

import { bar, byId, el, nameButton, numberCell, reach, rowHead } from "./dom.js";
import { HOLDS, follows, gapAndRange, gapOf, heading, known } from "./differences.js";
import { count, minus, score } from "./numbers.js";
import { BOTH, modelsOf } from "./state.js";
import { lostOf, shownAs } from "./payload.js";
import { SortableTable, figures, matches, sorted } from "./tables.js";
import { trendColumn } from "./trend.js";

const PAGE = 50;

export class ClassTable {
  constructor(data, store) {
    this.data = data;
    this.store = store;
    this.built = "";
    byId("class-filter").addEventListener("input", (event) => store.set({ find: event.target.value }));
    store.listen(() => this.update(), "show", "base", "other", "sort", "find", "fold");
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
  about(state) {
    const { show, sort } = state;
    const first = this.isFirst(sort);
    if (show === BOTH) return [...heading(...modelsOf(this.data, state)), first ? ": shown to differ first, then the largest loss of F1." : ""];
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
      cell: (i) => nameButton(data.names[i], () => store.open({ focus: i })),
    };
  }

  supportColumn(model) {
    const most = model.actual.subarray(0, this.data.classes).reduce((a, b) => Math.max(a, b), 0);
    return figures("support", "items", "How many items are of the class. Scores of a class with few items are uncertain.",
      (i) => model.actual[i], (items) => [bar(items / most), el("span", { class: "figure" }, count(items))], { class: "support" });
  }

  single(model) {
    const f1 = model.values[this.data.metrics.findIndex(({ key }) => key === "f1")];
    const bounds = model.low ? [figures("low", "F1 from 0 to 1", "F1 as a dot and its 95 % interval as a line: long where the items are few. Sorted by the lower end.",
      (i) => model.low[i], (low, i) => reach(f1[i], low, model.high[i]), { low: true })] : [];
    const scores = this.data.metrics.map(({ key, title, tip, better }, at) =>
      figures(key, title, tip, (i) => model.values[at][i], score, { low: better === "higher" }));
    const lost = figures("lost", "lost", "How many items of the class were answered otherwise.", (i) => lostOf(model, i), count);
    return [this.nameColumn(), this.supportColumn(model), lost, ...this.trend(), ...scores, ...bounds];
  }

  trend() {
    return follows(this.data) && this.data.tests.trend ? [trendColumn(this.data)] : [];
  }

  compared() {
    const { data, store } = this;
    const [old, fresh] = modelsOf(data, store.get());
    const test = known(data, store.get());
    const gaps = data.metrics.map((metric, at) => {
      const gap = (i) => minus(fresh.values[at][i], old.values[at][i]);
      // What is shown to differ comes first, whatever else seems larger.
      const held = (i) => gap(i) - (test.ofClass(metric.key, i).said === HOLDS ? 10 : 0);
      return figures(metric.key, `Δ ${metric.title}`, `${fresh.name} minus ${old.name}. ${metric.tip}`, gap, (value, i) => {
        const [shown, range] = gapAndRange(value, metric.better, test.ofClass(metric.key, i), true);
        return [shown, el("span", { class: "both" }, `${score(old.values[at][i])} → ${score(fresh.values[at][i])}`), range];
      }, { held, low: metric.better === "higher" });
    });
    return [this.nameColumn(), this.supportColumn(fresh), ...this.trend(), ...gaps];
  }

  /** Means over the classes, below them. */
  means() {
    const { data, store } = this;
    const state = store.get();
    const compared = state.show === BOTH;
    const models = modelsOf(data, state);
    const fresh = models.at(-1);
    const empty = (many) => Array.from({ length: many }, () => el("td", {}));
    return fresh.averages.map((mean, which) =>
      el(
        "tr",
        {},
        rowHead(mean.title),
        el("td", { class: "number support" }, el("span", { class: "figure" }, count(fresh.support))),
        empty(Number(!compared) + this.trend().length),
        mean.values.map((value, at) => {
          if (!compared) return numberCell(score(value));
          const { key, better } = data.metrics[at];
          const asked = data.overall.findIndex((one) => one.key === `${key}.${mean.title}`);
          const said = asked < 0 ? 0 : known(data, state).overall(asked).said;
          return numberCell(gapOf(minus(value, models[0].averages[which].values[at]), better, said));
        }),
        empty(Number(!compared && fresh.low !== null)),
      ),
    );
  }
}
