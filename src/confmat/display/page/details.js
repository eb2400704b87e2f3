// What is known of the class or the cell that was picked: its 2×2, its scores, its confusions, its examples.

import { examplesOf } from "./examples.js";
import { noteField } from "./notes.js";
import { bar, button, byId, el, explain, name, nameButton, pairing } from "./dom.js";
import { pairOf } from "./classes.js";
import { gapAndRange, gapOf, heading, known, words } from "./differences.js";
import { count, many, minus, points, score, share } from "./numbers.js";
import { confusionsOf, countAt, membersOf, pairsBetween, quarters, shownAs, turned } from "./payload.js";
import { BOTH } from "./state.js";

const MOST = 6;

export class Details {
  constructor(data, store, reveal) {
    this.data = data;
    this.store = store;
    this.reveal = reveal;
    this.place = byId("details");
    store.listen((state, before) => {
      if (["show", "base", "other", "focus", "cell", "fold"].some((key) => state[key] !== before[key])) this.update();
    });
    this.update();
  }

  /** The models that are looked at: one, or the two that are compared. */
  models() {
    const state = this.store.get();
    return state.show === BOTH ? pairOf(this.data, state) : [this.data.models[state.show]];
  }

  /** What is known of the two models that are compared. */
  test() {
    const { base, other } = this.store.get();
    return known(this.data, base, other);
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
        onclick: () => this.store.set({ focus: null, cell: null }) }, "✕"));
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
      el("div", { class: "quarters" }, models.map((model) => this.square(model, index, models.length > 1))),
      this.scores(models, index),
      this.flows(index, models.at(-1)),
      el("div", { class: "row" },
        button(() => this.reveal(index, index), "Show on the map"),
        index < size ? null : button(() => store.set({ cell: [index, index], focus: null }), "Pairs inside"),
        group < 0 ? null : button(turn, fold.has(group) ? "Unfold " : "Fold ", name(data.names[size + group]))),
    ];
  }

  /** The 2×2 of a class against all others. */
  square(model, index, named) {
    const { tp, fp, fn, tn } = quarters(model, index);
    const box = (kind, value, about) =>
      explain(el("td", { class: `quarter ${kind}`, tabindex: "0" }, el("span", { class: "kind" }, kind.toUpperCase()),
        el("span", {}, count(value))), about);
    const side = (text, facts) => el("th", facts, text);
    return el(
      "table",
      { class: "two-by-two" },
      el("caption", { class: named ? "" : "unseen" }, named ? name(model.name) : "This class against all others"),
      el("thead", {}, el("tr", {}, el("td", {}), side("predicted it", { scope: "col" }), side("predicted another", { scope: "col" }))),
      el("tbody", {},
        el("tr", {}, side("is it", { scope: "row" }),
          box("tp", tp, "True positives: items of the class that were predicted as it."),
          box("fn", fn, "False negatives: items of the class that were predicted as something else.")),
        el("tr", {}, side("is another", { scope: "row" }),
          box("fp", fp, "False positives: items of other classes that were predicted as this one."),
          box("tn", tn, "True negatives: items of other classes that were not predicted as this one.")),
      ),
    );
  }

  scores(models, index) {
    return el("dl", { class: models.length > 1 ? "scores wide" : "scores" }, this.data.metrics.map((metric, at) => {
      const values = models.map((model) => model.values[at][index]);
      const gap = () => gapAndRange(minus(values[1], values[0]), metric.better, this.test().ofClass(metric.key, index));
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
        el("li", {}, nameButton(data.names[other], () => store.set({ cell: pair(other), focus: null }), data.short[other]),
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
    const go = (index) => () => store.set({ focus: index, cell: null });
    const back = row === col ? null : models.at(-1);
    const kind = (id) => (id < data.labels.length ? "Class " : "Group ");
    return [
      this.head(name(actual), el("span", { class: "arrow" }, " → "), name(predicted)),
      el("p", { class: "muted" }, row === col ? "actual and predicted: hits" : "actual → predicted"),
      this.cellFacts(models, row, col),
      this.pairs(models.at(-1), row, col),
      el("div", { class: "row" },
        button(go(row), kind(row), name(actual)),
        row === col ? null : button(go(col), kind(col), name(predicted)),
        back ? button(() => store.set({ cell: [col, row] }), `The other way round: ${count(this.sum(back, col, row))}`) : null,
        button(() => this.reveal(row, col), "Show on the map")),
      data.examples && (this.changed(row, col) ?? examplesOf(data, row, col)),
    ];
  }

  /** The items of a cell; of groups, of all cells between them. */
  sum(model, row, col) {
    if (Math.max(row, col) < this.data.labels.length) return countAt(model, row, col);
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
      el("li", {}, el("button", { type: "button", class: "link pairing", onclick: () => store.set({ cell: [pair.row, pair.col], focus: null }) },
        pairing(data, pair.row, pair.col)),
      el("span", { class: "figure" }, `${count(pair.times)} · ${share(pair.times / whole)}`), bar(pair.times / wrong[0].times, "error")));
    const title = `${many(wrong.length, "pair")} of classes` + (wrong.length > lines.length ? `, the first ${lines.length}` : "");
    return el("div", {}, row === col && el("p", {}, `${count(hits)} are of the right class, ${count(whole - hits)} of another class of the group.`),
      el("h3", {}, title), el("ol", { class: "flows" }, lines));
  }

  cellFacts(models, row, col) {
    const head = el("tr", {}, el("td", {}), ["items", "of the actual class", "of the predicted class", "of all"].map((text) =>
      el("th", { scope: "col", class: "number" }, text)));
    const lines = models.map((model) => {
      const value = this.sum(model, row, col);
      return el("tr", {}, el("th", { scope: "row" }, models.length > 1 ? name(model.name) : "this cell"),
        [count(value), share(value / this.own(row, model.actual)), share(value / this.own(col, model.predicted)), share(value / model.total)]
          .map((text) => el("td", { class: "number" }, text)));
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
    const said = Math.max(row, col) < size ? this.test().ofCell(row, col) : 0;
    const better = row === col ? "higher" : "lower";
    const parts = [["actual", row], ["predicted", col]].map(([side, at]) => minus(b / this.own(at, fresh[side]), a / this.own(at, old[side])));
    const texts = [gapOf(minus(b, a), better, said, count), ...[...parts, minus(b / fresh.total, a / old.total)].map((gap) => (Number.isNaN(gap) ? "–" : `${points(gap)} pp`))];
    return el("tr", {}, el("th", { scope: "row" }, heading(fresh, old), el("span", { class: "both" }, words({ said }).split(":")[0])),
      texts.map((text) => el("td", { class: "number" }, text)));
  }
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
