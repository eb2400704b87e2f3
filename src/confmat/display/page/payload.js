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

/** Numbers as the program packed them: {n, ints} or {n, floats}. */
export function unpack(packed) {
  if (packed.ints !== undefined) return varints(bytesOf(packed.ints), packed.n);
  const bytes = bytesOf(packed.floats);
  return floats(bytes.byteOffset % 8 ? bytes.slice() : bytes);
}

/** Rows, columns and counts of the cells; a place is told by its distance from the one before, row after row. */
export function cellsOf(packed, size) {
  const steps = unpack(packed.steps);
  const counts = unpack(packed.counts);
  const rows = new Int32Array(steps.length);
  const cols = new Int32Array(steps.length);
  let place = 0;
  for (let i = 0; i < steps.length; i++) {
    place += steps[i];
    const row = Math.floor(place / size);
    rows[i] = row;
    cols[i] = place - row * size;
  }
  return { rows, cols, counts };
}

/** One model of the page: its cells, its margins, and what was computed of them. */
function modelOf(raw, labels, metrics) {
  const classes = labels.length - raw.outside;
  const values = metrics.map((_, i) => unpack(raw.values[i]));
  return {
    ...raw,
    ...cellsOf(raw.cells, labels.length),
    size: labels.length,
    classes,
    diagonal: unpack(raw.diagonal),
    actual: unpack(raw.actual),
    predicted: unpack(raw.predicted),
    negatives: raw.negatives ? unpack(raw.negatives) : null,
    values,
    low: raw.low && unpack(raw.low),
    high: raw.high && unpack(raw.high),
  };
}

/** Everything that the page shows, from the text of its data block. */
export function readPayload(text) {
  const raw = JSON.parse(text);
  const { labels, metrics } = raw;
  const models = raw.models.map((one) => modelOf({ ...one, outside: raw.outside }, labels, metrics));
  const groupOf = new Int32Array(labels.length).fill(-1);
  raw.groups.forEach((group, id) => group.members.forEach((member) => (groupOf[member] = id)));
  return { ...raw, models, groupOf, classes: labels.length - raw.outside };
}

/** tp, fp, fn and tn of one class of a model: what its row and its column say. */
export function quarters(model, index) {
  const tp = model.diagonal[index];
  const fp = model.predicted[index] - tp;
  const fn = model.actual[index] - tp;
  const tn = model.negatives ? model.negatives[index] : model.asked - tp - fp - fn;
  return { tp, fp, fn, tn };
}

/** The cells of a row ("actual") or a column ("predicted") beside the diagonal, the largest first. */
export function confusionsOf(model, index, side, most) {
  const [own, other] = side === "actual" ? [model.rows, model.cols] : [model.cols, model.rows];
  const found = [];
  for (let i = 0; i < own.length; i++) {
    if (own[i] === index && other[i] !== index) found.push([other[i], model.counts[i]]);
  }
  return found.sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, most);
}

/** The count of one cell of a model. */
export function countAt(model, row, col) {
  let low = 0;
  let high = model.rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const before = model.rows[middle] < row || (model.rows[middle] === row && model.cols[middle] < col);
    if (before) low = middle + 1;
    else high = middle;
  }
  return model.rows[low] === row && model.cols[low] === col ? model.counts[low] : 0;
}

/** The key under which the examples of a cell stand. */
export function cellKey(row, col) {
  return `${row},${col}`;
}
