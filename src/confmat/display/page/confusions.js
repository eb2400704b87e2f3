// The ranked list of confusions: what to look at first, above all where the classes are many.

import { bar, byId, columnHead, el, explain, name, numberCell, pairButton, rowHead } from "./dom.js";
import { HOLDS, follows, gapAndRange, gapOf, heading, known, words } from "./differences.js";
import { count, many, minus, points, score, share, signed } from "./numbers.js";
import { confusionsIn, countAt } from "./payload.js";
import { BOTH, modelsOf } from "./state.js";
import { SortableTable, figures, matches, sorted } from "./tables.js";
import { trends } from "./trend.js";

/** Rows at first, and of a page of them; and the columns that are shown on demand. */
const [FEW, PAGE] = [7, 16];
const MORE = ["excess", "lift", "rate", "reverse"];
/** How many of the largest differences are listed. */
const MOST = 500;

/**
 * The errors of which one model has more than the other: those that are shown to differ first, then by how much of
 * all its items that is; with the same items, by the difference of the counts. Pure.
 */
export function differences(old, fresh, most, ofCell = () => 0) {
  const found = new Map();
  [old, fresh].forEach((model, which) => {
    for (let i = 0; i < model.rows.length; i++) {
      const [row, col] = [model.rows[i], model.cols[i]];
      if (row === col || (row >= model.classes && col >= model.classes)) continue;
      const key = row * model.size + col;
      const pair = found.get(key) ?? { row, col, counts: [0, 0] };
      pair.counts[which] = model.counts[i];
      found.set(key, pair);
    }
  });
  const gap = ({ row, counts: [a, b] }) => minus(b / fresh.actual[row], a / old.actual[row]);
  const size = ({ counts: [a, b] }) => Math.abs(old.total === fresh.total ? minus(b, a) : minus(b / fresh.total, a / old.total));
  return [...found.values()]
    .map((pair) => ({ ...pair, gap: gap(pair), said: ofCell(pair.row, pair.col) }))
    .filter((pair) => size(pair) || pair.gap)
    .sort((a, b) => (b.said === HOLDS) - (a.said === HOLDS) || size(b) - size(a) || a.row - b.row || a.col - b.col)
    .slice(0, most);
}

export class ConfusionList {
  constructor(data, store) {
    this.data = data;
    this.store = store;
    byId("confusion-filter").addEventListener("input", (event) => store.set({ pairs: event.target.value }));
    store.listen(() => this.build(), "show", "base", "other");
    store.listen(() => this.show(), "pairs", "by");
    store.listen(() => this.point(), "cell");
    this.build();
  }

  build() {
    const { data, store } = this;
    const state = store.get();
    this.more ||= MORE.includes(state.by[0]);
    const compared = state.show === BOTH;
    const models = modelsOf(data, state);
    if (compared) {
      this.rows = differences(...models, MOST, known(data, state).ofCell);
      this.columns = this.compared(...models);
      this.ranked = ["rank", "up"];
      const held = this.rows.filter(({ said }) => said === HOLDS).length;
      const told = `${held ? count(held) : "none"} of ${many(this.rows.length, "change")} shown to be more than noise.`;
      byId("confusion-about").replaceChildren(...heading(...models), ": ", told);
    } else {
      const [model] = models;
      byId("confusion-about").textContent = model.ranked;
      this.rows = confusionsIn(model);
      this.columns = this.single(model);
      this.ranked = [model.costs ? "cost" : model.expects && !data.finds ? "" : "count", "down"];
    }
    const hidden = this.columns.filter(({ key }) => MORE.includes(key));
    byId("confusion-more").replaceChildren(...(hidden.length ? [
      el("button", { type: "button", class: "quiet", "aria-expanded": String(Boolean(this.more)), onclick: () => {
        this.more = !this.more;
        this.build();
      } }, this.more ? "Fewer columns" : "More columns"),
      this.more && el("dl", { class: "meanings" }, hidden.map(({ title, tip }) => [el("dt", {}, title), el("dd", {}, tip)]))] : []).filter(Boolean));
    if (!this.more) this.columns = this.columns.filter((one) => !hidden.includes(one));
    this.rows.forEach((row, at) => (row.rank = at + 1));
    this.table = new SortableTable(byId("confusion-table"), {
      caption: "Ranked confusions",
      columns: this.columns,
      page: PAGE,
      onSort: (...by) => store.set({ by }),
    });
    this.show();
  }

  show() {
    const { data } = this;
    const { by, pairs } = this.store.get();
    const search = pairs.trim();
    const field = byId("confusion-filter");
    if (field.value !== pairs) field.value = pairs;
    const chosen = this.columns.find((one) => one.key === by[0]);
    const text = ({ row, col }) => `${data.labels[row]} ${data.labels[col]}`;
    const rows = search ? this.rows.filter((row) => matches(text(row), search)) : this.rows;
    this.table.show(chosen ? sorted(rows, chosen.value, by[1] === "up") : rows, chosen ? by : this.ranked, [],
      search && "Nothing matches.", search || chosen ? null : this.few());
    this.point();
  }

  /** What comes first: what is shown to hold, or the most frequent where that is not tested; and what else there is. */
  few() {
    const model = this.data.models[this.store.get().show];
    const held = this.rows.filter(({ at, said }) => (model ? model.loud[at] : said === HOLDS)).length;
    const tested = model ? model.rate && !model.costs && !this.data.finds : this.rows.some(({ said }) => said);
    const size = tested ? Math.min(held, FEW) : FEW;
    const [shown, rest] = [held - size, this.rows.length - held];
    if (this.rows.length <= FEW) return null;
    const beyond = `${count(rest)}${held ? " more" : ""}, not beyond chance`;
    return { size, text: !tested ? `${count(this.rows.length - size)} more` : shown ? `${count(shown)} more, and ${count(rest)} not beyond chance` : beyond };
  }

  /** Marks the row of the cell that is looked at. */
  point() {
    const cell = this.store.get().cell;
    for (const button of this.table.body.querySelectorAll("button.pairing")) {
      button.closest("tr").classList.toggle("chosen", cell !== null && button.dataset.cell === cell.join("."));
    }
  }

  /** The pair, with a mark if there are examples of it. */
  pairColumn() {
    const { data, store } = this;
    const cell = ({ row, col }) => {
      const [kind, has] = [this.kind({ row, col }), data.examples?.cells[`${row},${col}`]];
      return pairButton(data, store, row, col, undefined, kind !== "error" && el("span", { class: `tag ${kind}` }, kind),
        has && el("span", { class: "has", title: "with examples" }, ` ▤ ${has.rows.length}`));
    };
    return { key: "pair", title: "actual → predicted", head: true, value: ({ row, col }) => `${data.labels[row]} ${data.labels[col]}`, cell };
  }

  /** Of detections: what kind of error a pair is, and of which class it is a share. */
  kind({ row, col }) {
    const { finds, classes } = this.data;
    return finds && row >= classes ? "ghost" : finds && col >= classes ? "missed" : "error";
  }

  single(model) {
    const part = (row) => row.times / (this.kind(row) === "ghost" ? model.predicted[row.col] : model.actual[row.row]);
    const most = this.rows.reduce((largest, row) => Math.max(largest, part(row)), 0);
    const reverse = ({ row, col }) => countAt(model, col, row);
    const rate = ({ at }) => (Number.isNaN(model.rate[at]) ? 1 : model.rate[at]);
    const rated = (value, { at }) => (Number.isNaN(model.rate[at]) ? `>${model.limit}` : value < 0.001 ? "<0.001" : value < 0.9995 ? value.toFixed(3) : "1");
    const columns = [
      this.pairColumn(),
      figures("count", "items", "How many items of the actual class were predicted as the other.", (row) => row.times, count),
      figures("share", this.data.finds ? "of class" : "of actual",
        `Which share of the actual class that is${this.data.finds ? "; of ghosts, of what was predicted as the class" : ""}.`,
        part, (value, row) => [bar(value / most, this.kind(row)), el("span", { class: "figure" }, share(value))]),
    ];
    if (model.costs) columns.push(figures("cost", "cost", "What these items cost together.", (row) => row.cost, count));
    if (!this.data.finds && model.expects && this.rows.some((row) => row.expected)) {
      columns.push(
        figures("excess", "excess", "Items beyond those expected, had the errors of each class fallen on the others in proportion "
          + "to how often those draw errors.", (row) => row.excess, (value) => signed(value, (size) => count(Number(size.toFixed(size < 10 ? 1 : 0))))),
        figures("lift", "lift", "How many times as often as expected.", (row) => (row.expected ? row.times / row.expected : NaN),
          (value) => (Number.isNaN(value) ? "–" : `×${value < 99.5 ? value.toFixed(1) : count(Math.round(value))}`)));
      if (model.rate) {
        columns.push(figures("rate", "q", "The share of false alarms among pairs as far from expected as this one or farther; a star where that is small enough.",
          rate, (value, row) => rated(value, row) + (model.loud[row.at] ? " *" : ""), { low: true }));
      }
    }
    return [...columns, figures("reverse", "reverse", "How many were confused the other way round.", reverse, count)];
  }

  compared(old, fresh) {
    return [
      figures("rank", "#", "Place in the ranking.", (row) => row.rank, String, { low: true, class: "rank" }),
      this.pairColumn(),
      ...[["old", old], ["new", fresh]].map(([key, model], at) =>
        figures(key, name(model.name), "", (row) => row.counts[at], count, { class: "model" })),
      figures("gap", "Δ of actual", `Change of the share of the actual class, in percentage points: ${fresh.name} minus ${old.name}.`,
        (row) => row.gap, (gap, row) => explain(gapOf(gap, "lower", row.said, (size) => `${points(size).slice(1)} pp`), words(row))),
    ];
  }
}

/** The scores of the whole matrix: tiles for one model, or the one that a slider is at; a table for several. */
export function showHeadline(data, place, show) {
  if (data.models.length === 1 || data.sweep) {
    const model = data.models[show];
    place.replaceChildren(
      ...data.overall.map((metric, at) =>
        explain(
          el("div", { class: "tile", tabindex: "0", role: "group", "aria-label": metric.title },
            el("span", { class: "tile-name" }, metric.title), valueOf(model, at, "range")),
          model.bounds[at] ? `${metric.tip} Beside it: its 95 % interval.` : metric.tip,
        ),
      ),
    );
    return;
  }
  const steps = follows(data);
  const head = el("tr", {}, el("th", { scope: "col" }, name(data.axis)), columnHead("items"),
    data.overall.map((metric) =>
      columnHead(explain(el("span", { tabindex: "0" }, metric.title), metric.tip))));
  const lines = data.models.flatMap((model, which) => [
    el("tr", {}, rowHead(name(model.name)), numberCell(count(model.total)),
      data.overall.map((metric, at) => numberCell(valueOf(model, at, "both"),
        which > 0 && steps && el("div", { class: "step" }, gapBetween(data, metric, at, which - 1, which))))),
    // How far it is from the first.
    data.compares && which > 0 && !steps ? el("tr", { class: "gaps" }, rowHead(heading(data.models[0], model)), el("td", {}),
      data.overall.map((metric, at) => numberCell(gapBetween(data, metric, at, 0, which)))) : null,
  ]);
  const caption = `Scores of each ${data.axis}`;
  const level = data.tests && Number((100 * data.tests.level).toFixed(2));
  const told = `Differences are ${steps ? "from the one before" : "new − old"}: ${data.tests?.how}, with ${level} % intervals. `;
  const how = data.tests && el("p", { class: "how muted" }, told, el("span", { class: "gap holds better" }, "Better"), ", ",
    el("span", { class: "gap holds worse" }, "worse"), ": shown to differ. ", el("span", { class: "gap open" }, "Grey"), ": may be nothing.");
  // Of those that follow each other, the newest comes first.
  place.replaceChildren(steps ? trends(data) : "", el("div", { class: "scroller", tabindex: "0", role: "group", "aria-label": caption },
    el("table", { class: "models" }, el("caption", { class: "unseen" }, caption), el("thead", {}, head),
      el("tbody", {}, steps ? lines.reverse() : lines))), how || "");
}

const valueOf = ({ overall, bounds }, at, kind) => [el("strong", {}, score(overall[at])),
  bounds[at] && el("span", { class: kind }, bounds[at].map(score).join(" – "))];

function gapBetween(data, metric, at, base, other) {
  const [old, fresh] = [base, other].map((which) => data.models[which].overall[at]);
  return gapAndRange(minus(fresh, old), metric.better, known(data, { base, other }).overall(at), follows(data));
}
