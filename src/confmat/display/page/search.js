// Finding a class by its name: a field with a list of what fits.

import { el, name } from "./dom.js";
import { matches } from "./tables.js";

const MOST = 12;

/** Positions of the labels that fit a search, those first that begin with it. Pure. */
export function found(labels, search, most = MOST) {
  const wanted = search.trim().toLowerCase();
  if (!wanted) return [];
  const rank = (label) => (label === wanted ? 0 : label.startsWith(wanted) ? 1 : 2);
  const fitting = [];
  labels.forEach((label, at) => {
    if (matches(label, wanted)) fitting.push([rank(label.toLowerCase()), at]);
  });
  return fitting.sort((a, b) => a[0] - b[0] || a[1] - b[1]).slice(0, most).map(([, at]) => at);
}

/** Makes a field and its list work together, as the ARIA pattern of a combobox describes. */
export function connectSearch(field, list, labels, pick) {
  let shown = [];
  let active = -1;
  const close = () => {
    shown = [];
    active = -1;
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.setAttribute("aria-activedescendant", "");
  };
  /** Points out the item that Enter would choose. */
  const mark = () => {
    [...list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === active)));
    field.setAttribute("aria-activedescendant", list.children[active]?.id ?? "");
    list.children[active]?.scrollIntoView({ block: "nearest" });
  };
  const choose = (at) => {
    const index = shown[at];
    if (index === undefined) return;
    field.value = "";
    close();
    pick(index);
  };
  const open = () => {
    shown = found(labels, field.value);
    active = shown.length ? 0 : -1;
    const items = shown.map((index, at) => el("li", { id: `${list.id}-${at}`, role: "option", onpointerdown: (event) => {
      // The field keeps the focus.
      event.preventDefault();
      choose(at);
    } }, name(labels[index])));
    const nobody = el("li", { class: "muted", role: "option", "aria-disabled": "true" }, "No such class");
    list.replaceChildren(...(items.length || !field.value.trim() ? items : [nobody]));
    list.hidden = !list.children.length;
    field.setAttribute("aria-expanded", String(!list.hidden));
    mark();
  };
  field.addEventListener("input", open);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!shown.length) open();
      else active = (active + (event.key === "ArrowDown" ? 1 : shown.length - 1)) % shown.length;
      mark();
    } else if (event.key === "Enter") choose(active);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
}
