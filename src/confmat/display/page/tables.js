// Tables that are tables: headings that sort, pages of rows, row headings that can be picked.

import { el, explain } from "./dom.js";
import { many, count } from "./numbers.js";

/** Rows in an order; what has no value comes last, whichever way; equals keep their order. Pure. */
export function sorted(rows, value, up) {
  const missing = (key) => key === null || key === undefined || Number.isNaN(key);
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
  return rows
    .map((row, at) => [value(row), row, at])
    .sort(([a, , i], [b, , j]) => {
      if (missing(a) || missing(b)) return missing(a) - missing(b) || i - j;
      return (up ? compare(a, b) : compare(b, a)) || i - j;
    })
    .map(([, row]) => row);
}

/** A column of numbers, which are sorted the largest first unless it is `low`. Pure. */
export const figures = (key, title, tip, value, write, more) => ({ key, title, tip, number: true, value, cell: (row) => write(value(row), row), ...more });

/** Whether a text contains every word of a search. Pure. */
export function matches(text, search) {
  const where = text.toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => where.includes(word));
}

/**
 * A table of `columns` {key, title, tip, value(row), cell(row), number, head}, `page` rows at a time.
 * `onSort(key, direction)` is told of clicks on headings; `show(rows, sort, foot)` fills it.
 */
export class SortableTable {
  constructor(place, { caption, columns, page, onSort }) {
    this.columns = columns;
    this.page = page;
    this.first = 0;
    this.rows = [];
    this.heads = new Map();
    this.head = el("tr");
    for (const column of columns) this.head.append(this.heading(column, onSort));
    this.body = el("tbody");
    this.foot = el("tfoot");
    this.pager = el("div", { class: "pager" });
    const table = el(
      "table", {}, el("caption", { class: "unseen" }, caption), el("thead", {}, this.head), this.body, this.foot,
    );
    place.replaceChildren(el("div", { class: "scroller", tabindex: "0", role: "group", "aria-label": caption }, table));
    place.append(this.pager);
  }

  heading(column, onSort) {
    const head = el("th", { scope: "col", class: `${column.number ? "number" : ""} ${column.class ?? ""}` });
    if (!column.value) {
      head.append(column.title);
      return head;
    }
    const button = el("button", {
      type: "button",
      class: "sort",
      onclick: () => {
        const first = column.number && !column.low ? "down" : "up";
        const now = head.getAttribute("aria-sort");
        onSort(column.key, now === "ascending" ? "down" : now === "descending" ? "up" : first);
      },
    }, column.title);
    explain(button, column.tip);
    head.append(button);
    this.heads.set(column.key, head);
    return head;
  }

  /**
   * Takes rows that are in their order already, and the order to point out. With `few` {size, text}, `size` come
   * first, and the others behind a button with this text.
   */
  show(rows, [key, direction], foot = [], none = "Nothing matches.", few = null) {
    for (const [name, head] of this.heads) {
      if (name === key) head.setAttribute("aria-sort", direction === "up" ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    }
    this.rows = rows;
    this.none = none;
    this.first = 0;
    this.foot.replaceChildren(...foot);
    this.few = few && few.size < rows.length ? few : null;
    this.fill();
  }

  fill(most = this.few?.size ?? this.page) {
    const part = this.rows.slice(this.first, this.first + most);
    this.body.replaceChildren(...part.map((row) => this.line(row)));
    this.turn(part.length);
  }

  line(row) {
    const cells = this.columns.map((column) => {
      const kind = column.head ? "th" : "td";
      const facts = { class: `${column.number ? "number" : ""} ${column.class ?? ""}` };
      if (column.head) facts.scope = "row";
      return el(kind, facts, column.cell(row));
    });
    return el("tr", {}, cells);
  }

  turn(shown) {
    const size = this.rows.length;
    if (this.few && shown === this.few.size) {
      this.pager.replaceChildren(el("button", { type: "button", onclick: () => this.open() }, this.few.text));
      return;
    }
    if (size <= this.page) {
      this.pager.replaceChildren(size ? "" : this.none);
      return;
    }
    const button = (text, step, off) =>
      el("button", { type: "button", disabled: off, onclick: () => this.go(this.first + step) }, text);
    const where = `${count(this.first + 1)}–${count(this.first + shown)} of ${many(size, "row")}`;
    this.pager.replaceChildren(
      button("Previous", -this.page, this.first === 0),
      el("span", {}, where),
      button("Next", this.page, this.first + shown >= size),
    );
  }

  open() {
    this.few = null;
    this.fill();
  }

  go(first) {
    this.first = Math.max(0, Math.min(first, this.rows.length - 1));
    this.fill();
    this.pager.querySelector("button:not([disabled])")?.focus();
  }

  /** More rows than a screen takes, for paper; `shrink` goes back. */
  expand(most) {
    this.kept = this.first;
    this.first = 0;
    this.fill(most);
  }

  shrink() {
    this.first = this.kept ?? 0;
    this.fill();
  }
}
