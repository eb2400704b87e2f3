// The data of the page: compact text into typed arrays, and the names that go with them.
// Pure: nothing here touches the document.

/** Bytes of a base64 text. */
export function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Whole numbers of seven bits a byte, the lowest first; a set eighth bit says that more follow. */
export function varints(bytes, count) {
  const out = new Float64Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    let value = 0;
    let scale = 1;
    let byte;
    do {
      byte = bytes[at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    out[i] = value;
  }
  return out;
}

/** Floats of eight bytes, the lowest first. */
export function floats(bytes) {
  return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
}

/** Numbers as the program packed them: {n, ints}, {n, floats}, or {n, singles} of seven digits. */
export function unpack(packed) {
  if (packed.ints !== undefined) return varints(bytesOf(packed.ints), packed.n);
  const bytes = bytesOf(packed.floats ?? packed.singles);
  if (packed.singles) return Float64Array.from(new Float32Array(bytes.slice().buffer), (value) => Number(value.toPrecision(7)));
  return floats(bytes.byteOffset % 8 ? bytes.slice() : bytes);
}

/** Rows, columns and counts of the cells; a place is told by its distance from the one before, row after row. */
export function cellsOf(packed, size) {
  const places = placesOf(packed.steps);
  return { rows: Int32Array.from(places, (place) => Math.floor(place / size)), cols: Int32Array.from(places, (place) => place % size), counts: unpack(packed.counts) };
}

/** Places that are told by their distances, each from the one before. */
function placesOf(packed) {
  let place = 0;
  return unpack(packed).map((step) => (place += step));
}

/** Shares of false discoveries of the cells, and which of these are shown: `loud` holds their places, 1 the foremost. */
function standing({ factors, steps, rates, limit, shown, expects }, size) {
  const rate = new Float64Array(size).fill(NaN);
  const tenThousandths = rates && unpack(rates);
  if (rates) placesOf(steps).forEach((at, i) => (rate[at] = tenThousandths[i] / 10000));
  const loud = new Uint32Array(size);
  unpack(shown).forEach((at, place) => (loud[at] = place + 1));
  return { rate: rates ? rate : null, limit, loud, expects, factors: factors.map((pair) => pair.map(unpack)) };
}

/** How many errors a cell would have if they depended on its row and its column alone; NaN outside the classes. */
export function expectedAt(model, row, col) {
  return model.factors.reduce((sum, [down, across]) => sum + down[row] * across[col], 0);
}

/**
 * The confused pairs of classes: {at, row, col, times, expected, excess}, those that are shown first, then the largest
 * excess; where that differs by a trifle, or nothing is expected, the larger count. Of detections, missed and ghosts
 * too, and the most frequent first. Pure.
 */
export function confusionsIn(model) {
  const found = [];
  const inside = model.factors[0][0].length;
  for (let at = 0; at < model.rows.length; at++) {
    const [row, col, times] = [model.rows[at], model.cols[at], model.counts[at]];
    if (row === col || (model.finds ? row >= inside && col >= inside : row >= inside || col >= inside)) continue;
    const expected = expectedAt(model, row, col);
    const excess = Math.abs(times - expected) > 1e-9 * times ? times - expected : 0;
    found.push({ at, row, col, times, expected, excess, cost: model.costs?.[at] ?? 0 });
  }
  const step = found.reduce((most, { excess }) => Math.max(most, Math.abs(excess)), 0) * 2 ** -36 || 1;
  const place = ({ at }) => model.loud[at] || Infinity;
  for (const pair of found) pair.key = model.expects && !model.finds ? Math.round(pair.excess / step) : 0;
  const shown = (a, b) => (model.finds || place(a) === place(b) ? 0 : place(a) - place(b));
  return found.sort((a, b) => b.cost - a.cost || shown(a, b) || b.key - a.key || b.times - a.times || a.at - b.at);
}

/** One model of the page: its cells, its margins, and what was computed of them. */
function modelOf(raw, labels, metrics) {
  const classes = labels.length - raw.outside;
  const values = metrics.map((_, i) => unpack(raw.values[i]));
  const cells = cellsOf(raw.cells, labels.length);
  return {
    ...raw,
    ...cells,
    ...standing(raw.confusions, cells.rows.length),
    size: labels.length,
    classes,
    diagonal: unpack(raw.diagonal),
    actual: unpack(raw.actual),
    predicted: unpack(raw.predicted),
    costs: raw.costs && unpack(raw.costs),
    negatives: raw.negatives ? unpack(raw.negatives) : null,
    values,
    low: raw.low && unpack(raw.low),
    high: raw.high && unpack(raw.high),
  };
}

/** The differences of two models: their bounds and verdicts by class, and the verdicts of cells by their places. */
function testOf(raw) {
  const { classes, cells } = raw;
  const ends = (packed) => unpack(packed).map((value) => (value > 20000 ? NaN : value / 10000 - 1));
  const found = new Map();
  for (const [kind, code] of [["different", 3], ["undecided", 2]]) {
    if (cells) placesOf(cells[kind]).forEach((place) => found.set(place, code));
  }
  return { ...raw, classes: classes && { low: ends(classes.low), high: ends(classes.high), said: unpack(classes.said) }, cells: cells && found };
}

/** Everything that the page shows, from the text of its data block. */
export function readPayload(text) {
  const raw = JSON.parse(text);
  const { labels, metrics } = raw;
  const models = raw.models.map((one) => modelOf({ ...raw.models[0], ...one, outside: raw.outside, finds: raw.finds }, labels, metrics));
  // The innermost group of each label: inner groups come after outer ones.
  const groupOf = new Int32Array(labels.length).fill(-1);
  raw.groups.forEach((group, at) => {
    group.members.forEach((member) => (groupOf[member] = at));
    group.depth = group.up < 0 ? 0 : raw.groups[group.up].depth + 1;
  });
  // Groups are numbered behind the labels, as their sums and scores are.
  const groups = raw.groups.map((group) => group.name);
  const names = [...labels, ...groups];
  const short = raw.short ? [...raw.short, ...groups] : names;
  const tests = raw.tests && { ...raw.tests, pairs: raw.tests.pairs.map(testOf), trend: raw.tests.trend && unpack(raw.tests.trend) };
  return { ...raw, models, tests, groupOf, names, short, classes: labels.length - raw.outside };
}

/** The labels that a label or a group consists of. */
export function membersOf(data, id) {
  return id < data.labels.length ? [id] : data.groups[id - data.labels.length].members;
}

/** The number under which each label is shown: its own, or that of the outermost folded group around it. */
export function shownAs(data, folded) {
  return Int32Array.from(data.labels, (_, index) => {
    let shown = index;
    for (let at = data.groupOf[index]; at >= 0; at = data.groups[at].up) if (folded.has(at)) shown = data.labels.length + at;
    return shown;
  });
}

/** The groups to fold so that all of one depth are rows, and shallower ones that hold no other. */
export function foldAt(data, depth) {
  const outer = new Set(data.groups.map((group) => group.up));
  const row = ({ depth: here }, at) => here === depth || (here < depth && !outer.has(at));
  return new Set([...data.groups.keys()].filter((at) => row(data.groups[at], at)));
}

/** What is folded after a group was opened, which shows the groups inside it, or folded. */
export function turned(data, folded, group) {
  const fold = new Set(folded);
  if (!fold.delete(group)) fold.add(group);
  else data.groups.forEach(({ up }, at) => up === group && fold.add(at));
  return fold;
}

/** How many items of a class were answered otherwise: by these classes are ranked, not by scores of a few items. */
export const lostOf = (model, index) => model.actual[index] - model.diagonal[index];

/** tp, fp, fn and tn of one class of a model: what its row and its column say. */
export function quarters(model, index) {
  const tp = model.diagonal[index];
  const fp = model.predicted[index] - tp;
  const fn = model.actual[index] - tp;
  const tn = model.negatives ? model.negatives[index] : model.asked - tp - fp - fn;
  return { tp, fp, fn, tn };
}

/**
 * The cells of the rows ("actual") or the columns ("predicted") of some labels that lead to others, the largest first;
 * `shown` says as what each label is shown.
 */
export function confusionsOf(model, members, side, most, shown) {
  const [own, other] = side === "actual" ? [model.rows, model.cols] : [model.cols, model.rows];
  const inside = new Set(members);
  const around = new Set(members.map((member) => shown[member]));
  const found = new Map();
  for (let i = 0; i < own.length; i++) {
    if (!inside.has(own[i]) || inside.has(other[i])) continue;
    const to = around.has(shown[other[i]]) ? other[i] : shown[other[i]];
    found.set(to, (found.get(to) ?? 0) + model.counts[i]);
  }
  return [...found].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, most);
}

/** The cells between the labels of two groups, the largest first: {row, col, times}. */
export function pairsBetween(model, rows, cols) {
  const [down, across] = [new Set(rows), new Set(cols)];
  const found = [];
  for (let i = 0; i < model.rows.length; i++) {
    const [row, col] = [model.rows[i], model.cols[i]];
    if (down.has(row) && across.has(col)) found.push({ row, col, times: model.counts[i] });
  }
  return found.sort((a, b) => b.times - a.times || a.row - b.row || a.col - b.col);
}

/** The first place from `low` up to `high` in sorted numbers that is not below a value. */
export function firstFrom(sorted, low, high, value) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The count of one cell of a model. */
export function countAt({ rows, cols, counts }, row, col) {
  const [start, end] = [row, row + 1].map((first) => firstFrom(rows, 0, rows.length, first));
  const at = firstFrom(cols, start, end, col);
  return at < end && cols[at] === col ? counts[at] : 0;
}

/** The key under which the examples of a cell are. */
export function cellKey(...places) {
  return places.join(",");
}
