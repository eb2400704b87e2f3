// Elements made of parts. Whatever comes from the data becomes text, never markup.

import { score } from "./numbers.js";

/** An element with attributes ("onclick" and its like are listeners) and children; text stays text. */
export function el(tag, facts = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(facts)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An element of a drawing, of the namespace that the page's own empty one has. */
export function svg(tag, facts, ...children) {
  const node = document.createElementNS(byId("svg").namespaceURI, tag);
  for (const [key, value] of Object.entries(facts)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** A text in a drawing. */
export const words = (x, y, anchor, text) => svg("text", { x, y, "text-anchor": anchor }, String(text).replace(/^-/, "−"));

/** An element of the page by its id. */
export const byId = (id) => document.getElementById(id);

/** A label or a short form of it: cut by the style sheet where it is long, whole when pointed at, in its own direction. */
export function name(text, short = text) {
  return el("bdi", { class: "name", title: text }, short);
}

/** A button with text or more in it. */
export function button(act, ...content) {
  return el("button", { type: "button", onclick: act }, ...content);
}

/** A button with a pair of labels, the actual one first, that opens their cell. */
export function pairButton(data, store, row, col, arrow = " → ", ...more) {
  const [actual, predicted] = [row, col].map((id) => name(data.names[id], data.short[id]));
  return el("button", { type: "button", class: "link pairing", "data-cell": `${row}.${col}`, onclick: () => store.open({ cell: [row, col] }) },
    actual, el("span", { class: "arrow" }, arrow), predicted, more);
}

/** Cells of tables: the heading of a row or of a column of numbers, and a number. */
export const rowHead = (...content) => el("th", { scope: "row" }, content);
export const columnHead = (...content) => el("th", { scope: "col", class: "number" }, content);
export const numberCell = (...content) => el("td", { class: "number" }, content);

/** A button that looks like a label. */
export function nameButton(text, act, short = text) {
  return el("button", { type: "button", class: "link", onclick: act }, name(text, short));
}

/** A bar whose length is a share of its place. */
export function bar(part, kind = "") {
  const inner = part > 0 && el("span", { class: "bar-fill" });
  if (inner) inner.style.width = `${Math.min(1, part) * 100}%`;
  return el("span", { class: `bar ${kind}`, "aria-hidden": "true" }, inner);
}

/** A score as a dot on a line from 0 to 1, with its interval. */
export function reach(value, low, high) {
  if (Number.isNaN(low)) return "–";
  const part = (kind, left, width) => {
    const inner = el("span", { class: kind });
    Object.assign(inner.style, { left: `${100 * left}%`, width: width && `${100 * width}%` });
    return inner;
  };
  const told = `${score(low)} to ${score(high)}`;
  return el("span", { class: "reach", role: "img", "aria-label": told, title: told },
    part("between", low, high - low), Number.isNaN(value) ? null : part("dot", value));
}

/** Gives an element an explanation that shows when it is pointed at or has the focus, and that is read aloud. */
export function explain(node, text) {
  if (!text) return node;
  node.setAttribute("aria-description", text);
  node.dataset.tip = text;
  return node;
}

/** Shows explanations beside the elements that have one; Escape puts them away. */
export function startTips() {
  const box = byId("tip");
  let owner = null;
  const hide = () => {
    owner = null;
    box.hidden = true;
  };
  const show = (event) => {
    const node = event.target.closest?.("[data-tip]");
    if (!node) return hide();
    if (node === owner) return undefined;
    owner = node;
    box.textContent = node.dataset.tip;
    box.hidden = false;
    const at = node.getBoundingClientRect();
    placeBeside(box, at.left, at.bottom + 6, at.top - 6);
    return undefined;
  };
  document.addEventListener("pointerover", (event) => event.pointerType !== "touch" && show(event));
  document.addEventListener("focusin", show);
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("scroll", hide, { passive: true, capture: true });
}

/** Puts a floating box where it is seen whole: below a point, or above another. */
export function placeBeside(box, x, below, above) {
  const { width, height } = box.getBoundingClientRect();
  const left = Math.max(8, Math.min(x, document.documentElement.clientWidth - width - 8));
  const top = below + height + 8 > window.innerHeight ? Math.max(8, above - height) : below;
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}

let politely = 0;

/** Says something to who listens instead of looking; many quick words become the last of them. */
export function announce(text) {
  clearTimeout(politely);
  politely = setTimeout(() => (byId("live").textContent = text), 120);
}
