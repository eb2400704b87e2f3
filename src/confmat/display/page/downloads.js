// The data of the page as files: what `confmat show` and `confmat.load` read back, and tables for a spreadsheet.

import { el } from "./dom.js";

/** A field of CSV; text that a spreadsheet would run as a formula gets an apostrophe in front. Pure. */
export function field(value) {
  if (typeof value === "number") return Number.isNaN(value) ? "" : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const lines = (rows) => rows.map((row) => row.map(field).join(",")).join("\n") + "\n";

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

/** The cells as rows: model, actual, predicted, count. Pure. */
export function cellsCsv(data) {
  const several = data.models.length > 1;
  const rows = [[...(several ? [data.axis] : []), "actual", "predicted", "count"]];
  for (const model of data.models) {
    for (let i = 0; i < model.rows.length; i++) {
      const pair = [data.labels[model.rows[i]], data.labels[model.cols[i]], model.counts[i]];
      rows.push(several ? [model.name, ...pair] : pair);
    }
  }
  return lines(rows);
}

/** The scores of the classes as rows. Pure. */
export function classesCsv(data) {
  const several = data.models.length > 1;
  const rows = [[...(several ? [data.axis] : []), "class", "items", ...data.metrics.map((metric) => metric.key)]];
  for (const model of data.models) {
    for (let i = 0; i < data.classes; i++) {
      const row = [data.labels[i], model.actual[i], ...model.values.map((values) => values[i])];
      rows.push(several ? [model.name, ...row] : row);
    }
  }
  return lines(rows);
}

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

/** Makes the buttons of the menu work. */
export function connectDownloads(data, menu) {
  const act = {
    json: () => save(asJson(data), "application/json", fileName(data.title, ".json")),
    cells: () => save(cellsCsv(data), "text/csv", fileName(data.title, "-cells.csv")),
    classes: () => save(classesCsv(data), "text/csv", fileName(data.title, "-classes.csv")),
  };
  menu.addEventListener("click", (event) => {
    const kind = event.target.closest("button")?.dataset.save;
    if (!kind) return;
    act[kind]();
    menu.open = false;
  });
  // A menu closes when the reader goes on elsewhere.
  document.addEventListener("pointerdown", (event) => menu.contains(event.target) || (menu.open = false));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}
