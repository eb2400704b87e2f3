// The examples of a cell: texts, texts with marked spans, and small pictures.

import { el } from "./dom.js";
import { count, many } from "./numbers.js";
import { cellKey } from "./payload.js";

/** A field as elements: a text, pieces of a text with the name of their span, or a picture. */
function field(value, about) {
  if (typeof value === "string") return el("bdi", {}, value);
  if (Array.isArray(value)) {
    return el("bdi", {}, value.map(([text, name]) => (name === null ? text : el("mark", {}, text, name && el("b", {}, name)))));
  }
  const text = value.text || about;
  // A broken picture is its text.
  const broken = (event) => event.target.replaceWith(text);
  // Of a picture of few pixels, each is seen.
  const sharp = ({ target }) => target.naturalHeight < 64 && target.classList.add("tiny");
  return el("img", { src: value.src, alt: text, title: text, onerror: broken, onload: sharp });
}

const isPicture = (value) => typeof value === "object" && !Array.isArray(value);
const lengthOf = (value) => (typeof value === "string" ? value : value.map(([text]) => text).join("")).length;
/** A column of fields this short keeps a line; the longer ones share the room that is left. */
const SHORT = 28;

/** Pictures with their other fields below them. */
function gallery(columns, rows, about) {
  // Corners that are drawn need not be read.
  const told = (value, at) => value.text || (!isPicture(value) && !columns[at]?.endsWith(" box") && value.length);
  const caption = (line) => line.map((value, at) => told(value, at)
    ? el("div", {}, columns[at] && el("span", { class: "muted" }, `${columns[at]} `), field(value.text || value)) : null);
  return el("ul", { class: "gallery" }, rows.map((line) =>
    el("li", {}, line.filter(isPicture).map((value) => field(value, about)), el("div", { class: "fields" }, caption(line)))));
}

function table(columns, rows) {
  const kinds = columns.map((_, at) => (rows.every((line) => lengthOf(line[at]) <= SHORT) ? "short" : "long"));
  return el("table", { class: "examples" }, el("caption", { class: "unseen" }, "Examples of this cell"),
    el("thead", {}, el("tr", {}, columns.map((column) => el("th", { scope: "col" }, column)))),
    el("tbody", {}, rows.map((line) => el("tr", {}, line.map((value, at) => el("td", { class: kinds[at] }, field(value)))))));
}

/** All that there is of a cell; null where the page has no examples. */
export function examplesOf({ examples, labels }, row, ...answers) {
  const here = examples?.cells[cellKey(row, ...answers)];
  if (!here) return examples ? el("p", { class: "muted" }, "There are no examples of this cell.") : null;
  const { rows } = here;
  const shown = many(rows.length, "example");
  const pictures = rows.some((line) => line.some(isPicture));
  const drawn = pictures && examples.columns.some((column) => column.endsWith(" box"));
  const body = pictures
    ? gallery(examples.columns, rows, `${labels[row]}, predicted ${labels[answers.at(-1)]}`)
    : examples.columns.length
      ? table(examples.columns, rows)
      : el("ul", { class: "examples" }, rows.map((line) => el("li", {}, field(line[0]))));
  return el("section", { "aria-label": "Examples" },
    el("h3", {}, rows.length < here.seen ? `${shown} of ${count(here.seen)}` : shown,
      drawn && el("span", { class: "drawn" }, " · the true box is blue, the predicted one orange")),
    el("div", { class: "scroller examples-box", tabindex: "0", role: "group", "aria-label": "Examples" }, body));
}
