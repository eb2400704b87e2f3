// Names for what the theme leaves without one, keys for what scrolls, and a form above each `table.filtered`: words anywhere in a row, and one
// choice for each column named below. Without this script the table is whole.
"use strict";

const CHOICES = ["Task", "Range", "Averages", "Other names"];
const HEADS = { "Other names": "Also in" };

// The choices that a cell belongs to: its parts, or the packages that name it.
const parts = (cell, head) =>
  head === "Other names"
    ? [...cell.matchAll(/(?:^|; )([^:;]+): /g)].map((found) => found[1])
    : cell.split(head === "Averages" ? ", " : "\n");

const make = (tag, facts, ...inside) => {
  const node = Object.assign(document.createElement(tag), facts);
  node.append(...inside);
  return node;
};

document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "All pages");
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
for (const head of document.querySelectorAll("th")) if (!head.textContent.trim()) head.setAttribute("role", "cell");
const reach = () => {
  for (const box of document.querySelectorAll("pre, .table-wrapper")) box.tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1;
};
reach();
addEventListener("resize", reach);
for (const caption of document.querySelectorAll(".caption[role=heading]")) caption.ariaLevel = 2;
document.getElementById("search-results")?.before(make("h1", { textContent: "Search" }));

for (const table of document.querySelectorAll("table.filtered")) {
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  const rows = [...table.tBodies[0].rows].map((row) => {
    const cells = [...row.cells].map((cell) => cell.textContent.trim());
    return { row, text: cells.join(" ").toLowerCase().replaceAll("_", " "), cells };
  });
  const search = make("input", { type: "search", name: "words", autocomplete: "off" });
  const selects = CHOICES.map((head) => {
    const column = heads.indexOf(head);
    const known = new Set(rows.flatMap(({ cells }) => parts(cells[column], head)).filter(Boolean));
    const choice = make("select", { name: head }, make("option", { value: "" }, "any"));
    choice.append(...[...known].map((value) => make("option", { value }, value)));
    return { choice, head, column };
  });
  const count = make("output", {});
  const form = make(
    "form",
    { className: "filter" },
    make("label", {}, "Name or word", search),
    ...selects.map(({ choice, head }) => make("label", {}, HEADS[head] ?? head, choice)),
    count,
  );
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Filter the table");

  const show = () => {
    const words = search.value.toLowerCase().replaceAll("_", " ").split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { row, text, cells } of rows) {
      row.hidden = !(
        words.every((word) => text.includes(word)) &&
        selects.every(({ choice, head, column }) => !choice.value || parts(cells[column], head).includes(choice.value))
      );
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length} metrics`;
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  (table.closest(".table-wrapper") ?? table).before(form);
  show();
}
