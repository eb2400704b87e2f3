// Which part of the grid is seen, and where on the canvas it lies. Pure.
//
// A view is {x, y, span}: the first column and row that are seen, and how many of each; fractions are allowed.

/** No closer than this many rows. */
const CLOSEST = 4;
/** No cell is larger than this many pixels, so that two classes do not fill a screen. */
const LARGEST_CELL = 124;

/** Everything. */
export function whole(n) {
  return { x: 0, y: 0, span: n };
}

/** Pixels of a strip with the names of groups, and how far from the edge the first one begins. */
export const STRIP = 15;
export const EDGE = 16;

/** A view that lies within the grid. */
export function clamped(view, n) {
  const span = Math.min(n, Math.max(Math.min(n, CLOSEST), view.span));
  const within = (start) => Math.min(Math.max(0, start), n - span);
  return { x: within(view.x), y: within(view.y), span };
}

/** Closer (factor above 1) or farther, with one point of the grid staying where it is. */
export function zoomed(view, factor, column, row, n) {
  const span = Math.min(n, Math.max(Math.min(n, CLOSEST), view.span / factor));
  const keep = span / view.span;
  return clamped({ x: column - (column - view.x) * keep, y: row - (row - view.y) * keep, span }, n);
}

/** The least move that brings a cell into the view. */
export function revealing(view, row, col, n) {
  const into = (start, at) => (at < start ? at : at + 1 > start + view.span ? at + 1 - view.span : start);
  return clamped({ x: into(view.x, col), y: into(view.y, row), span: view.span }, n);
}

/** A view with a cell in its middle, close enough to tell it from its neighbours. */
export function centred(view, row, col, n, cells = 24) {
  const span = Math.min(view.span, cells, n);
  return clamped({ x: col + 0.5 - span / 2, y: row + 0.5 - span / 2, span }, n);
}

/**
 * Where things lie in a canvas of some width: the gutters of the labels, the square of the cells, the bars.
 * Cells of `textCell` pixels have room for their texts; few of them get it in a low window, too. `strips` are the
 * levels of groups whose names stand outside the labels. Classes of one size (`even`) need no bars.
 */
export function layoutOf(width, height, n, labelWidth, textCell, levels = 0, even = false) {
  const narrow = width < 480;
  const strips = Math.min(levels, narrow ? 1 : 3);
  const room = (labels, beside) => width - Math.round(Math.min(labelWidth, labels)) - 28 - strips * STRIP - beside;
  // On a phone, numbers in the cells tell more than bars beside them.
  const tight = narrow && !even && room(84, 44) < n * textCell && room(70, 8) >= n * textCell;
  const left = width - room(tight ? 70 : narrow ? 84 : 156, 0);
  const bars = tight ? 8 : even ? 24 : narrow ? 44 : 64;
  const upright = (side) => side / n < Math.min(labelWidth, 110) + 8;
  const limit = Math.max(120, Math.min(width - left - bars, n * LARGEST_CELL));
  const least = n * textCell <= 300 ? Math.max(160, n * textCell) : 160;
  const top = (upright(limit) ? Math.round(Math.min(labelWidth, narrow ? 70 : 156)) + 8 : 24) + 20 + strips * STRIP;
  const side = Math.floor(Math.min(limit, Math.max(least, height - top - 16)));
  return { left, top, side, bars, strips, upright: upright(limit), width: left + side + bars, height: top + side + 16 };
}

/** The row and column under a point, and whether it lies on the cells, on a label or on the name of a group. */
export function placeAt(layout, view, n, x, y) {
  const scale = layout.side / view.span;
  const col = Math.floor(view.x + (x - layout.left) / scale);
  const row = Math.floor(view.y + (y - layout.top) / scale);
  const across = x >= layout.left && x < layout.left + layout.side && col < n;
  const down = y >= layout.top && y < layout.top + layout.side && row < n;
  if (across && down) return { zone: "cell", row, col };
  const depth = Math.floor(((down && x < layout.left ? x : y) - EDGE) / STRIP);
  if (across !== down && depth >= 0 && depth < layout.strips) return { zone: "group", row: down ? row : col, col, depth };
  if (down && (x < layout.left || x >= layout.left + layout.side)) return { zone: "row", row, col: row };
  if (across && y < layout.top && y >= 18) return { zone: "column", row: col, col };
  return null;
}
