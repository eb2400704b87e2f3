// Items that the new model has right and the old one had not, and the other way round: by class and answer, with examples.

import { byId, el, name, pairButton } from "./dom.js";
import { known } from "./differences.js";
import { examplesOf } from "./examples.js";
import { count, many } from "./numbers.js";
import { cellKey } from "./payload.js";
import { BOTH, modelsOf } from "./state.js";

const FIRST = 8;
const ABOUT = { fixed: " was taken for ", broken: " is now taken for " };

export class Answers {
  constructor(data, store) {
    this.data = data;
    this.store = store;
    store.listen(() => this.update(), "show", "base", "other");
    this.update();
  }

  update() {
    const state = this.store.get();
    const { test, turned } = known(this.data, state);
    const card = byId("answers-card");
    card.hidden = state.show !== BOTH || !test?.answers;
    if (card.hidden) return;
    const { fixed, broken } = test.answers;
    const lists = turned ? { fixed: broken, broken: fixed } : { fixed, broken };
    const [old, fresh] = modelsOf(this.data, state);
    byId("answers-about").replaceChildren(name(old.name), " → ", name(fresh.name),
      `: ${count(lists.fixed.items)} fixed, ${count(lists.broken.items)} broken`);
    byId("answers").replaceChildren(...["fixed", "broken"].map((kind) => this.list(kind, lists[kind])));
  }

  list(kind, { items, pairs, rows }) {
    const lines = rows.map((row) => this.line(kind, row));
    const rest = lines.slice(FIRST);
    const left = pairs > rows.length ? `, the first ${rows.length} of ${count(pairs)}` : "";
    const title = kind === "fixed" ? "Fixed" : "Broken";
    return el("div", {}, el("h3", { class: kind }, `${title}: ${many(items, "item")}${left}`),
      lines.length ? el("ol", { class: "turns" }, lines.slice(0, FIRST)) : el("p", { class: "muted" }, "None."),
      rest.length > 0 && el("details", {}, el("summary", {}, `${rest.length} more`), el("ol", { class: "turns" }, rest)));
  }

  line(kind, [actual, first, second, times]) {
    const { data, store } = this;
    const wrong = first === actual ? second : first;
    const key = cellKey(actual, first, second);
    return el("li", {},
      el("div", {},
        pairButton(data, store, actual, wrong, ABOUT[kind]),
        el("span", { class: "figure" }, count(times))),
      data.examples?.cells[key] && el("details", {}, el("summary", {}, "examples"), examplesOf(data, actual, first, second)));
  }
}
