// What is known of the class or the cell that was picked: its 2×2, its scores, its confusions, its examples.

import { examplesOf } from "./examples.js";
import { noteField } from "./notes.js";
import { bar, button, byId, columnHead, el, explain, name, nameButton, numberCell, pairButton, rowHead } from "./dom.js";
import { gapAndRange, gapOf, heading, known, words } from "./differences.js";
import { count, many, minus, points, score, share } from "./numbers.js";
import { confusionsOf, membersOf, pairsBetween, quarters, shownAs, turned } from "./payload.js";
import { modelsOf } from "./state.js";

const MOST = 6;

export class Details {
  constructor(data, store, reveal) {
    this.data = data;
    this.store = store;
    this.reveal = reveal;
    this.place = byId("details");
    store.listen(() => this.update(), "show", "base", "other", "focus", "cell", "fold");
    this.update();
  }

  /** The models that are looked at: one, or the two that are compared. */
  models() {
    return modelsOf(this.data, this.store.get());
  }

  update() {
    const { focus, cell } = this.store.get();
    this.place.hidden = focus === null && cell === null;
    if (this.place.hidden) this.place.replaceChildren();
    else this.place.replaceChildren(...[...(cell ? this.cell(...cell) : this.class(focus)), noteField(this.store)].filter(Boolean));
    // Whoever asks far below, or on a small screen, is brought there.
    const { top } = this.place.getBoundingClientRect();
    if (!this.place.hidden && (top < 0 || top > window.innerHeight - 120)) this.place.scrollIntoView({ block: "nearest" });
  }

  head(...title) {
    return el("div", { class: "card-head" }, el("h2", { id: "details-title" }, title),
      el("button", { type: "button", class: "quiet", "aria-label": "Close the details",
        onclick: () => this.store.open() }, "✕"));
  }

  // ---- a class ---------------------------------------------------------------------------------------------

  class(index) {
    const { data, store } = this;
    const label = data.names[index];
    const models = this.models();
    const size = data.labels.length;
    if (index >= data.classes && index < size) {
      return [this.head(name(label)), el("p", {}, "stands outside the classes: it has no scores of its own."),
        this.flows(index, models.at(-1))];
    }
    const group = index < size ? data.groupOf[index] : index - size;
    const { fold } = store.get();
    const turn = () => store.set({ fold: turned(data, fold, group) });
    return [
      this.head(name(label)),
      el("div", { class: "quarters" }, models.map((model) => twoByTwo(model, index, models.length > 1))),
      this.scores(models, index),
      this.flows(index, models.at(-1)),
      el("div", { class: "row" },
        button(() => this.reveal(index, index), "Show on the map"),
        index < size ? null : button(() => store.open({ cell: [index, index] }), "Pairs inside"),
        group < 0 ? null : button(turn, fold.has(group) ? "Unfold " : "Fold ", name(data.names[size + group]))),
    ];
  }

  scores(models, index) {
    return el("dl", { class: models.length > 1 ? "scores wide" : "scores" }, this.data.metrics.map((metric, at) => {
      const values = models.map((model) => model.values[at][index]);
      const gap = () => gapAndRange(minus(values[1], values[0]), metric.better, known(this.data, this.store.get()).ofClass(metric.key, index));
      return el("div", {}, explain(el("dt", { tabindex: "0" }, metric.title), metric.tip),
        el("dd", {}, values.map(score).join(" → "), " ", values.length > 1 && gap()));
    }));
  }

  /** What the class is taken for, and what is taken for it. */
  flows(index, model) {
    const { data, store } = this;
    const members = membersOf(data, index);
    const shown = shownAs(data, store.get().fold);
    const list = (side, title, empty) => {
      const whole = side === "actual" ? model.actual[index] : model.predicted[index];
      const pair = (other) => (side === "actual" ? [index, other] : [other, index]);
      const lines = confusionsOf(model, members, side, MOST, shown).map(([other, times]) =>
        el("li", {}, nameButton(data.names[other], () => store.open({ cell: pair(other) }), data.short[other]),
          el("span", { class: "figure" }, `${count(times)} · ${share(times / whole)}`), bar(times / whole, "error")));
      return el("div", {}, el("h3", {}, title), lines.length ? el("ol", { class: "flows" }, lines) : el("p", { class: "muted" }, empty));
    };
    return el("div", { class: "columns" },
      list("actual", "Its items were taken for", model.actual[index] ? "Nothing else: all were found." : "Nothing: there are none."),
      list("predicted", "What was taken for it", model.predicted[index] ? "Nothing: every answer of this class is right." : "Nothing: it is never answered."));
  }

  // ---- a cell ----------------------------------------------------------------------------------------------

  cell(row, col) {
    const { data, store } = this;
    const [actual, predicted] = [data.names[row], data.names[col]];
    const models = this.models();
    const go = (index) => () => store.open({ focus: index });
    const back = row === col ? null : models.at(-1);
    const kind = (id) => (id < data.labels.length ? "Class " : "Group ");
    return [
      this.head(name(actual), el("span", { class: "arrow" }, " → "), name(predicted)),
      el("p", { class: "muted" }, row === col ? "actual and predicted: hits" : "actual → predicted"),
      this.cellFacts(models, row, col),
      this.pairs(models.at(-1), row, col),
      el("div", { class: "row" },
        button(go(row), kind(row), name(actual)),
        row !== col && button(go(col), kind(col), name(predicted)),
        back && button(() => store.set({ cell: [col, row] }), `The other way round: ${count(this.sum(back, col, row))}`),
        button(() => this.reveal(row, col), "Show on the map")),
      data.examples && (this.changed(row, col) ?? examplesOf(data, row, col)),
    ];
  }

  /** The items of a cell; of groups, of all cells between them. */
  sum(model, row, col) {
    return this.between(model, row, col).reduce((sum, { times }) => sum + times, 0);
  }

  between(model, row, col) {
    return pairsBetween(model, membersOf(this.data, row), membersOf(this.data, col));
  }

  /** The class pairs of a folded cell, the largest first. */
  pairs(model, row, col) {
    const { data, store } = this;
    if (Math.max(row, col) < data.labels.length) return null;
    const all = this.between(model, row, col);
    const whole = all.reduce((sum, { times }) => sum + times, 0);
    const wrong = all.filter((pair) => pair.row !== pair.col);
    const hits = row === col && whole - wrong.reduce((sum, { times }) => sum + times, 0);
    const lines = wrong.slice(0, 2 * MOST).map((pair) =>
      el("li", {}, pairButton(data, store, pair.row, pair.col),
      el("span", { class: "figure" }, `${count(pair.times)} · ${share(pair.times / whole)}`), bar(pair.times / wrong[0].times, "error")));
    const title = `${many(wrong.length, "pair")} of classes` + (wrong.length > lines.length ? `, the first ${lines.length}` : "");
    return el("div", {}, row === col && el("p", {}, `${count(hits)} are of the right class, ${count(whole - hits)} of another class of the group.`),
      el("h3", {}, title), el("ol", { class: "flows" }, lines));
  }

  cellFacts(models, row, col) {
    const head = el("tr", {}, el("td", {}), ["items", "of the actual class", "of the predicted class", "of all"].map((text) =>
      columnHead(text)));
    const lines = models.map((model) => {
      const value = this.sum(model, row, col);
      return el("tr", {}, rowHead(models.length > 1 ? name(model.name) : "this cell"),
        [count(value), share(value / this.own(row, model.actual)), share(value / this.own(col, model.predicted)), share(value / model.total)]
          .map((text) => numberCell(text)));
    });
    if (models.length > 1) lines.push(this.cellGap(models, row, col));
    return el("table", { class: "facts" }, el("caption", { class: "unseen" }, "This cell in numbers"),
      el("thead", {}, head), el("tbody", {}, lines));
  }

  /** The items of a class or a group; where something is found that nothing is, what is not there is no class. */
  own(id, totals) {
    const { finds, classes, labels } = this.data;
    return finds && id >= classes && id < labels.length ? NaN : totals[id];
  }

  /** Examples of items that came into the cell or left it, under the answers of both models. */
  changed(row, col) {
    const { data } = this;
    const places = Object.keys(data.examples?.cells ?? {}).map((key) => key.split(",").map(Number))
      .filter(([actual, ...answers]) => answers.length > 1 && actual === row && answers.includes(col));
    return places.length ? el("div", {}, places.map((place) => [
      el("h3", {}, `answers ${place.slice(1).map((at) => data.labels[at]).join(" → ")}`), examplesOf(data, ...place)])) : null;
  }

  /** By how much a cell changed, and whether that is shown. */
  cellGap([old, fresh], row, col) {
    const [a, b] = [old, fresh].map((model) => this.sum(model, row, col));
    const size = this.data.labels.length;
    const said = Math.max(row, col) < size ? known(this.data, this.store.get()).ofCell(row, col) : 0;
    const better = row === col ? "higher" : "lower";
    const parts = [["actual", row], ["predicted", col]].map(([side, at]) => minus(b / this.own(at, fresh[side]), a / this.own(at, old[side])));
    const texts = [gapOf(minus(b, a), better, said, count), ...[...parts, minus(b / fresh.total, a / old.total)].map((gap) => (Number.isNaN(gap) ? "–" : `${points(gap)} pp`))];
    return el("tr", {}, rowHead(heading(old, fresh), el("span", { class: "both" }, words({ said }).split(":")[0])),
      texts.map((text) => numberCell(text)));
  }
}

/** The 2×2 of a class against all others, each quarter with its meaning, which a page brings once. */
export function twoByTwo(model, index, named) {
  const four = quarters(model, index);
  const box = (kind, about) => explain(el("td", { class: `quarter ${kind}`, tabindex: "0" }, el("span", { class: "kind" }, kind.toUpperCase()),
    el("span", {}, count(four[kind]))), about);
  const side = (scope, text) => el("th", { scope }, text);
  return el("table", { class: "two-by-two" },
    el("caption", { class: named ? "" : "unseen" }, named ? name(model.name) : "This class against all others"),
    el("thead", {}, el("tr", {}, el("td", {}), side("col", "predicted it"), side("col", "predicted another"))),
    el("tbody", {},
      el("tr", {}, side("row", "is it"), box("tp", "True positives: items of the class that were predicted as it."),
        box("fn", "False negatives: items of the class that were predicted as something else.")),
      el("tr", {}, side("row", "is another"), box("fp", "False positives: items of other classes that were predicted as this one."),
        box("tn", "True negatives: items of other classes that were not predicted as this one."))));
}

/** A cell of the map in words: who was taken for whom, how often, and which share that is. Pure. */
export function reading(grid, row, col, at) {
  const [actual, predicted] = [grid.units[row].text, grid.units[col].text];
  const values = grid.counts.map((counts) => (at < 0 ? 0 : counts[at]));
  const parts = values.map((value, which) => {
    const own = (at, totals) => (grid.finds && at >= grid.inside ? 0 : totals[which][at]);
    const bottoms = [["actual", own(row, grid.actual)], ["predicted", own(col, grid.predicted)]];
    const rates = bottoms.filter(([, bottom]) => bottom > 0).map(([side, bottom]) => `${share(value / bottom)} of ${side}`);
    return [many(value, "item"), ...rates].join(" · ");
  });
  return { actual, predicted, parts };
}
