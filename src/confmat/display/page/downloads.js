// The data of the page as files: what `confmat show` and `confmat.load` read back, and tables for a spreadsheet.

import { el } from "./dom.js";
import { count, minus, score } from "./numbers.js";
import { confusionsIn } from "./payload.js";
import { asPng, mapSvg } from "./picture.js";

/** A field of CSV; text that a spreadsheet would run as a formula gets an apostrophe in front. Pure. */
export function field(value) {
  if (typeof value === "number") return Number.isNaN(value) ? "" : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const lines = (rows) => `${rows.map((row) => row.map(field).join(",")).join("\n")}\n`;

/** A model as the file that confmat stores a matrix in. Pure. */
export function matrixJson(data, model) {
  const cells = [];
  for (let i = 0; i < model.rows.length; i++) cells.push(`[${model.rows[i]},${model.cols[i]},${model.counts[i]}]`);
  const facts = ['"format":"confmat.matrix"', '"version":1', `"labels":${data.stored ?? plainLabels(data)}`, '"rows":"actual"',
    `"weighted":${model.weighted}`, `"counts_cells":[${cells.join(",")}]`];
  const dropped = model.dropped + model.left.total;
  if (dropped) facts.push(`"dropped":${dropped}`);
  return `{${facts.join(",")}}`;
}

/** Labels that are texts just as they are shown. */
function plainLabels(data) {
  const labels = { kind: "text", names: data.labels.slice(0, data.classes) };
  if (data.outside) labels.outside = data.labels.slice(data.classes);
  return JSON.stringify(labels);
}

/** All models in one text: a matrix, or a stack of them. Pure. */
export function asJson(data) {
  if (data.models.length === 1) return matrixJson(data, data.models[0]);
  const matrices = data.models.map((model) => {
    const { format, version, labels, rows, ...content } = JSON.parse(matrixJson(data, model));
    return content;
  });
  return JSON.stringify({
    format: "confmat.stack",
    version: 1,
    axis: data.axis,
    labels: JSON.parse(data.stored ?? plainLabels(data)),
    rows: "actual",
    keys: data.sweep?.keys ?? data.models.map((model) => model.name),
    matrices,
  });
}

/** Tables to take away, by name: a row of heads, and rows of texts and numbers. Pure. */
export const TABLES = {
  scores: (data) => [...rowsOf(data, ["score", "value", "low", "high"], (model) =>
    data.overall.map(({ key }, at) => [key, model.overall[at] ?? NaN, ...(model.bounds[at] ?? [NaN, NaN])])), ...differences(data)],
  classes: (data) => rowsOf(data, ["class", "items", ...data.metrics.map(({ key }) => key), "f1_low", "f1_high"], (model) =>
    Array.from({ length: data.classes }, (_, i) => [data.labels[i], model.actual[i],
      ...[...model.values, model.low ?? [], model.high ?? []].map((values) => values[i] ?? NaN)])),
  confusions: (data) => rowsOf(data, ["actual", "predicted", "count", "expected"], (model) =>
    confusionsIn(model).map(({ row, col, times, expected }) => [data.labels[row], data.labels[col], times, expected])),
  counts: (data) => rowsOf(data, ["actual", "predicted", "count"], (model) =>
    Array.from(model.rows, (row, i) => [data.labels[row], data.labels[model.cols[i]], model.counts[i]])),
};

/** The differences of models, new − old, with their intervals. */
function differences(data) {
  return (data.tests?.pairs ?? []).flatMap(({ pair, overall }) => {
    const [old, fresh] = pair.map((at) => data.models[at]);
    return data.overall.map(({ key }, at) => [`${fresh.name} − ${old.name}`, key, minus(fresh.overall[at], old.overall[at]),
      ...overall[at].slice(0, 2).map((end) => end ?? NaN)]);
  });
}

/** Rows of all models, with their names where there are several. */
function rowsOf(data, head, rows) {
  const several = data.models.length > 1;
  const named = (model) => rows(model).map((row) => (several ? [model.name, ...row] : row));
  return [several ? [data.axis, ...head] : head, ...data.models.flatMap(named)];
}

/** How a table is written: for programs with all digits, for readers with three. Pure. */
export const FORMATS = {
  csv: lines,
  md: ([head, ...rows]) => {
    const whole = head.map((_, at) => rows.every((row) => typeof row[at] !== "number" || Number.isInteger(row[at])));
    const escaped = (text) => text.replace(/[\\|<>*_\x60[\]{}#~$@&]|\s+/g, (sign) => (sign.trim() ? `\\${sign}` : " "));
    const cell = (value, at) => escaped(typeof value !== "number" ? value : whole[at] ? count(value) : score(value));
    const sides = head.map((_, at) => (typeof rows[0]?.[at] === "number" ? "---:" : "---"));
    return [head.map(cell), sides, ...rows.map((row) => row.map(cell))].map((row) => `| ${row.join(" | ")} |\n`).join("");
  },
};

/** A file name that any system takes. Pure. */
export function fileName(title, ending) {
  const plain = title.normalize("NFKD").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60).toLowerCase();
  return `${plain || "report"}${ending}`;
}

/** Hands a text to the reader as a file. */
function save(text, kind, file) {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  const link = el("a", { href: address, download: file });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Fills the menu, and makes its buttons work. */
export function connectDownloads(data, menu, map) {
  const put = (content, kind, ending) => save(content, kind, fileName(data.title, ending));
  const acts = {
    Map: {
      PNG: async () => put(await asPng(mapSvg(map, data.title)), "image/png", ".png"),
      SVG: () => put(mapSvg(map, data.title), "image/svg+xml", ".svg"),
    },
  };
  for (const [name, table] of Object.entries(TABLES)) {
    acts[name] = Object.fromEntries([["CSV", "csv"], ["Markdown", "md"]].map(([title, format]) =>
      [title, () => put(FORMATS[format](table(data)), "text/plain", `-${name}.${format}`)]));
  }
  acts.counts = { JSON: () => put(asJson(data), "application/json", ".json"), ...acts.counts };
  const line = ([name, formats]) => [el("span", {}, name[0].toUpperCase(), name.slice(1)),
    el("span", { class: "row" }, Object.entries(formats).map(([title, act]) => el("button", { type: "button",
      "aria-label": `${name} as ${title}`, "data-save": `${name}-${title}`.toLowerCase(), onclick: () => act(menu.open = false) }, title)))];
  menu.querySelector(".menu-list").replaceChildren(...Object.entries(acts).flatMap(line));
  // A menu closes when the reader goes on elsewhere.
  document.addEventListener("pointerdown", (event) => menu.contains(event.target) || (menu.open = false));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}
