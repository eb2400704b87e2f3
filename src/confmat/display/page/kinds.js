// The kinds of errors of boxes: of all, and of the class that is looked at.

import { bar, byId, el, explain, name, numberCell, rowHead } from "./dom.js";
import { count, share } from "./numbers.js";

export function showKinds(data, store) {
  const place = el("section", { class: "card", "aria-labelledby": "kinds-title" });
  byId("confusion-table").closest("section").before(place);
  const show = ({ focus }) => {
    const one = focus !== null && focus < data.classes;
    const figures = data.kinds.map(([, , counts]) => (one ? counts[focus] : counts.reduce((a, b) => a + b, 0)));
    const all = figures.reduce((a, b) => a + b, 0);
    const line = ([kind, tip], at) => el("tr", {}, rowHead(explain(el("span", { tabindex: "0" }, kind), tip)),
      numberCell(count(figures[at])),
      numberCell(bar(figures[at] / all, kind === "missed" ? "missed" : kind === "class" ? "error" : "ghost"),
        el("span", { class: "figure" }, share(figures[at] / all))));
    place.replaceChildren(
      el("div", { class: "card-head" }, el("h2", { id: "kinds-title" }, "Kinds of errors", one && [" of ", name(data.labels[focus])])),
      el("table", {}, el("caption", { class: "unseen" }, "Kinds of errors"),
        el("thead", {}, el("tr", {}, ["kind", "errors", "of all"].map((text, at) => el("th", { scope: "col", class: at ? "number" : "" }, text)))),
        el("tbody", {}, data.kinds.map(line))));
  };
  store.listen(show, "focus");
  show(store.get());
}
