// The grid that is drawn: classes in an order, groups folded into one row, cells added up and normalised. Pure.

import { minus } from "./numbers.js";
import { expectedAt, firstFrom, lostOf, membersOf, shownAs } from "./payload.js";

const collator = new Intl.Collator("en", { numeric: true });

/** Classes in an order: "given", "alphabetical", "support", "worst", or one that the page brings ("cluster", "hierarchy"). */
export function orderOf(name, data, model) {
  const classes = Array.from({ length: data.classes }, (_, i) => i);
  const by = (key) => classes.sort((a, b) => key(a) - key(b) || a - b);
  if (name === "alphabetical") {
    return classes.sort((a, b) => collator.compare(data.labels[a], data.labels[b]) || a - b);
  }
  if (name === "support") return by((i) => -model.actual[i]);
  if (name === "worst") return by((i) => -lostOf(model, i));
  return data.orders[name] ?? classes;
}

/**
 * The rows (and columns) of the grid: a class, or a folded group at the place of its first member; what is
 * outside the classes comes last, in every order.
 */
export function unitsOf(data, order, folded) {
  const units = [];
  const place = new Int32Array(data.labels.length);
  const at = new Map();
  const shown = shownAs(data, folded);
  const outside = Array.from({ length: data.labels.length - data.classes }, (_, i) => data.classes + i);
  for (const index of [...order, ...outside]) {
    const id = shown[index];
    if (!at.has(id)) {
      at.set(id, units.length);
      units.push({ id, text: data.names[id], short: data.short[id], members: [], group: id - data.labels.length, outside: index >= data.classes });
    }
    place[index] = at.get(id);
    units[place[index]].members.push(index);
  }
  return { units, place, inside: units.length - (data.labels.length - data.classes) };
}

/** The first row of a label or a group and how many it takes; null where its rows are not side by side. */
export function spanOf(data, place, id) {
  const rows = [...new Set(membersOf(data, id).map((member) => place[member]))];
  const start = rows.reduce((least, row) => Math.min(least, row), Infinity);
  const last = rows.reduce((most, row) => Math.max(most, row), 0);
  return last - start + 1 === rows.length ? { start, size: rows.length } : null;
}

/** The groups that are not folded and whose rows are side by side. */
export function runsOf(data, place) {
  const runs = data.groups.map(({ name, up, depth }, at) => ({ at, name, up, depth, id: data.labels.length + at }))
    .map((run) => ({ ...run, ...spanOf(data, place, run.id) })).filter((run) => run.size > 1);
  const outer = new Set(runs.map((run) => run.up));
  return runs.map((run) => ({ ...run, innermost: !outer.has(run.at) }));
}

/** Positions 0..n-1 sorted by a key below `size`, equal keys in their given order. */
function countingSort(positions, keys, size) {
  const starts = new Int32Array(size + 1);
  for (const key of keys) starts[key + 1]++;
  for (let i = 0; i < size; i++) starts[i + 1] += starts[i];
  const sorted = new Int32Array(positions.length);
  for (const position of positions) sorted[starts[keys[position]]++] = position;
  return sorted;
}

/** The grid of one model, or of two whose difference is wanted: row after row, in each the columns from the left. */
export function gridOf(models, { units, place, inside }) {
  const n = units.length;
  // The cells of all models, one after the other.
  const [rows, cols] = ["rows", "cols"].map((side) => Int32Array.from(models.flatMap((model) => Array.from(model[side], (at) => place[at]))));
  const [down, across, loud] = [0, 0, 0].map(() => new Int32Array(rows.length));
  const [costs, ...counts] = [0, ...models].map(() => new Float64Array(rows.length));
  const first = models[0].rows.length;
  const starts = new Int32Array(n + 1);
  let last = -1;
  for (const position of countingSort(countingSort(Int32Array.from(rows.keys()), cols, n), rows, n)) {
    if (last < 0 || down[last] !== rows[position] || across[last] !== cols[position]) {
      last++;
      down[last] = rows[position];
      across[last] = cols[position];
      starts[rows[position] + 1] = last + 1;
    }
    const which = Number(position >= first);
    const [model, i] = [models[which], position - which * first];
    // Of several cells in one place, the foremost counts.
    if (model.loud[i]) loud[last] = Math.min(loud[last] || Infinity, model.loud[i]);
    costs[last] += model.costs?.[i] ?? 0;
    counts[which][last] += model.counts[i];
  }
  for (let i = 0; i < n; i++) starts[i + 1] = Math.max(starts[i + 1], starts[i]);
  const size = last + 1;
  return {
    n,
    inside,
    finds: models[0].finds,
    units,
    place,
    starts,
    rows: down.subarray(0, size),
    cols: across.subarray(0, size),
    counts: counts.map((sum) => sum.subarray(0, size)),
    loud,
    costs,
    factors: models.map((model) => model.factors.map((pair) => pair.map((factor) => marginOf(factor, place, n)))),
    actual: models.map((model) => marginOf(model.actual, place, n)),
    predicted: models.map((model) => marginOf(model.predicted, place, n)),
    totals: models.map((model) => model.total),
  };
}

/** Totals of the rows (or columns) of the grid. */
function marginOf(totals, place, n) {
  const out = new Float64Array(n);
  for (let i = 0; i < place.length; i++) out[place[i]] += totals[i] ?? 0;
  return out;
}

/** What one model's cell is divided by. */
export function bottomOf(grid, which, row, col, norm) {
  if (norm !== "actual" && norm !== "predicted") return norm === "all" ? grid.totals[which] : 1;
  // What is missed or found where nothing is has one class, of which it is a share.
  const [above, beside] = grid.finds ? [row >= grid.inside, col >= grid.inside] : [];
  const side = above ? "predicted" : beside ? "actual" : norm;
  return side === "actual" ? grid.actual[which][row] : grid.predicted[which][col];
}

/**
 * The shown value of every cell: count or rate of one model, or what the second has more than the first. By "excess",
 * errors are those beyond the expected ones. Errors have none that `only`, given their place, does not want.
 */
export function valuesOf(grid, norm, only) {
  const values = new Float64Array(grid.cols.length);
  const last = grid.counts.length - 1;
  for (let i = 0; i < values.length; i++) {
    const [row, col] = [grid.rows[i], grid.cols[i]];
    const error = row !== col && row < grid.inside && col < grid.inside;
    const shown = (which) => {
      if (norm === "cost") return grid.costs[i];
      const bottom = bottomOf(grid, which, row, col, norm);
      const expected = error && norm === "excess" ? expectedAt({ factors: grid.factors[which] }, row, col) : 0;
      // A share of nothing is no number, and neither is its difference from another.
      return bottom ? (grid.counts[which][i] - expected) / bottom : last ? NaN : 0;
    };
    values[i] = only && error && !only(i) ? NaN : last ? minus(shown(1), shown(0)) : shown(0);
  }
  return values;
}

export const HIT = 0;
export const ERROR = 1;
export const NEUTRAL = 2;
export const MISSED = 4;
export const GHOST = 5;
/** An error that is not shown to be more than the other errors explain. */
export const QUIET = 6;
/** The hues of the roles; the fourth is that of differences. */
export const HUES = ["hit", "error", "neutral", "difference", "missed", "ghost", "quiet"];

/** What a cell is: a hit, an error, or neither (outside answered by outside). */
export function roleOf(grid, row, col) {
  if (row >= grid.inside && col >= grid.inside) return NEUTRAL;
  if (grid.finds && row >= grid.inside) return GHOST;
  if (grid.finds && col >= grid.inside) return MISSED;
  return row === col ? HIT : ERROR;
}

/** Whatever is wrong shares one scale. */
export const scaleOf = (role) => (role > NEUTRAL ? ERROR : role);

/** Where a cell is among the cells of the grid; -1 if it is zero. */
export function findCell({ starts, cols }, row, col) {
  const at = firstFrom(cols, starts[row], starts[row + 1], col);
  return at < starts[row + 1] && cols[at] === col ? at : -1;
}

/** Errors are darkest from this share of a class on, so that few errors look like few. */
const DARKEST_ERROR = 0.1;

/** The least end of the errors' scale: a tenth of a class; of counts, of the median class that occurs. */
function leastTop(grid, norm) {
  if (norm === "actual" || norm === "predicted") return DARKEST_ERROR;
  const sizes = grid.actual.flatMap((totals, which) =>
    [...totals.subarray(0, grid.inside)].map((size) => (norm === "all" ? size / grid.totals[which] : size)));
  const there = sizes.filter((size) => size > 0).sort((a, b) => a - b);
  return there.length ? DARKEST_ERROR * there[(there.length - 1) >> 1] : 0;
}

/**
 * The ends of the scales of hits, errors and neutral values, and of a difference from zero; hits that are shares of a
 * class are measured against all of it. With `one`, all have the same.
 */
export function largest(grid, values, norm, one) {
  const least = norm === "cost" ? 0 : leastTop(grid, norm);
  const most = [norm === "actual" || norm === "predicted" ? 1 : 0, least, 0];
  let difference = least;
  for (let i = 0; i < values.length; i++) {
    const role = scaleOf(roleOf(grid, grid.rows[i], grid.cols[i]));
    if (values[i] > most[role]) most[role] = values[i];
    if (Math.abs(values[i]) > difference) difference = Math.abs(values[i]);
  }
  return { most: one ? most.map(() => Math.max(...most)) : most, difference };
}
