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
    field.removeAttribute("aria-activedescendant");
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
    const items = shown.map((index, at) => option(`${list.id}-${at}`, labels[index], () => choose(at)));
    const nobody = el("li", { class: "muted", role: "option", "aria-disabled": "true" }, "No such class");
    list.replaceChildren(...(items.length || !field.value.trim() ? items : [nobody]));
    list.hidden = !list.children.length;
    field.setAttribute("aria-expanded", String(!list.hidden));
    mark(field, list, active);
  };
  field.addEventListener("input", open);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!shown.length) open();
      else active = (active + (event.key === "ArrowDown" ? 1 : shown.length - 1)) % shown.length;
      mark(field, list, active);
    } else if (event.key === "Enter") choose(active);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
}

/** An item of the list; the field keeps the focus when it is pressed. */
function option(id, text, choose) {
  const pressed = (event) => {
    event.preventDefault();
    choose();
  };
  return el("li", { id, role: "option", onpointerdown: pressed }, name(text));
}

/** Points out the item that Enter would choose. */
function mark(field, list, active) {
  [...list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === active)));
  const item = list.children[active];
  if (!item) {
    field.removeAttribute("aria-activedescendant");
    return;
  }
  field.setAttribute("aria-activedescendant", item.id);
  item.scrollIntoView({ block: "nearest" });
}
