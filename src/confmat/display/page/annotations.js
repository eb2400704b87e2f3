// What surrounds the cells of the heat map and marks them: labels, bars, roles, the cursor.

import { quarterOf } from "./grid.js";

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/** What is TP, FP, FN and TN for the class in focus. */
export function drawRoles(map) {
  const { pen, layout, view, colours } = map;
  const unit = map.marks.focus;
  if (unit === null) return;
  const scale = layout.side / view.span;
  const wide = Math.max(scale, 3);
  const x = layout.left + (unit - view.x) * scale;
  const y = layout.top + (unit - view.y) * scale;
  pen.save();
  pen.beginPath();
  pen.rect(layout.left, layout.top, layout.side, layout.side);
  pen.clip();
  pen.fillStyle = colours.card;
  pen.globalAlpha = 0.66;
  for (const [left, right] of [[layout.left, x], [x + wide, layout.left + layout.side]]) {
    for (const [top, bottom] of [[layout.top, y], [y + wide, layout.top + layout.side]]) {
      if (right > left && bottom > top) pen.fillRect(left, top, right - left, bottom - top);
    }
  }
  pen.globalAlpha = 1;
  pen.lineWidth = 2;
  // Around small cells, so that they are seen between the lines.
  const out = scale < 12 ? 2 : 0;
  const frame = (colour, left, top, width, height) => {
    pen.strokeStyle = colour;
    pen.strokeRect(left - out, top - out, width + 2 * out, height + 2 * out);
  };
  frame(colours.fn, layout.left + 1 + out, y, layout.side - 2 - 2 * out, wide);
  frame(colours.fp, x, layout.top + 1 + out, wide, layout.side - 2 - 2 * out);
  frame(colours.tp, x, y, wide, wide);
  if (scale >= 30) drawTags(map, unit, scale);
  pen.restore();
  if (scale < 30) drawEdgeTags(map, x + wide / 2, y + wide / 2);
}

function drawTags(map, unit, scale) {
  const { pen, layout, view, colours } = map;
  pen.font = `700 9px ${FONT}`;
  pen.textAlign = "left";
  pen.textBaseline = "top";
  const [top, bottom] = map.seen(view.y);
  const [left, right] = map.seen(view.x);
  for (let row = top; row < bottom; row++) {
    for (let col = left; col < right; col++) {
      const name = quarterOf(unit, row, col);
      const x = layout.left + (col - view.x) * scale + 3;
      const y = layout.top + (row - view.y) * scale + 3;
      const width = 17;
      pen.fillStyle = colours.card;
      pen.globalAlpha = name === "TN" ? 0 : 0.9;
      pen.fillRect(x - 1, y - 1, width, 11);
      pen.globalAlpha = name === "TN" ? 0.75 : 1;
      pen.fillStyle = colours[name.toLowerCase()];
      pen.fillText(name, x + 1, y);
      pen.globalAlpha = 1;
    }
  }
}

/** Where cells are too small for words, the words stand at the ends of the row and the column. */
function drawEdgeTags(map, x, y) {
  const { pen, layout, colours } = map;
  const right = layout.left + layout.side;
  pen.font = `700 10px ${FONT}`;
  pen.textBaseline = "middle";
  const tag = (text, colour, tx, ty) => {
    if (tx < layout.left || tx > right || ty < layout.top || ty > layout.top + layout.side) return;
    pen.fillStyle = colours.card;
    pen.fillRect(tx - 10, ty - 7, 20, 14);
    pen.fillStyle = colour;
    pen.textAlign = "center";
    pen.fillText(text, tx, ty);
  };
  tag("FN", colours.fn, x < (layout.left + right) / 2 ? right - 12 : layout.left + 12, y);
  tag("FP", colours.fp, x, y < layout.top + layout.side / 2 ? layout.top + layout.side - 9 : layout.top + 9);
}

export function drawLabels(map) {
  const { pen, layout, view, grid, colours } = map;
  const scale = layout.side / view.span;
  const step = Math.max(1, Math.ceil(13 / scale));
  const upright = layout.top > 50;
  const write = (unit, room, strong) => {
    const style = `${unit.outside ? "italic " : ""}${strong ? "700 " : unit.group >= 0 ? "600 " : ""}`;
    pen.font = `${style}${Math.min(12, Math.max(10, scale * 0.9))}px ${FONT}`;
    pen.fillStyle = strong ? colours.ink : step > 1 || unit.outside ? colours.muted : colours.ink;
    return fit(map, unit.group >= 0 ? `▸ ${unit.text}` : unit.text, room);
  };
  pen.textBaseline = "middle";
  for (const [start, vertical] of [[view.y, false], [view.x, true]]) {
    const [first, last] = map.seen(start);
    for (const i of labelled(first, last, step, map.marks.focus)) {
      const at = (i + 0.5 - start) * scale;
      if (at < 0 || at > layout.side) continue;
      const strong = i === map.marks.focus;
      pen.textAlign = vertical ? (upright ? "left" : "center") : "right";
      if (!vertical) pen.fillText(write(grid.units[i], layout.left - 26, strong), layout.left - 6, layout.top + at);
      else if (!upright) pen.fillText(write(grid.units[i], scale - 4, strong), layout.left + at, layout.top - 11);
      else {
        pen.save();
        pen.translate(layout.left + at, layout.top - 6);
        pen.rotate(-Math.PI / 2);
        pen.fillText(write(grid.units[i], layout.top - 28, strong), 0, 0);
        pen.restore();
      }
    }
  }
  drawAxes(map);
}

/** Rows whose labels have room: every so many, and the one in focus instead of its neighbours. */
function labelled(first, last, step, focus) {
  const found = [];
  for (let i = Math.ceil(first / step) * step; i < last; i += step) {
    if (focus === null || i === focus || Math.abs(i - focus) >= step) found.push(i);
  }
  if (focus !== null && focus % step && focus >= first && focus < last) found.push(focus);
  return found;
}

function drawAxes(map) {
  const { pen, layout, colours } = map;
  pen.font = `600 11px ${FONT}`;
  pen.fillStyle = colours.muted;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.fillText("predicted →", layout.left, 8);
  pen.save();
  pen.translate(8, layout.top);
  pen.rotate(-Math.PI / 2);
  pen.textAlign = "right";
  pen.fillText("← actual", 0, 0);
  pen.restore();
}

/** How many items each actual class has: a bar at the end of its row. */
export function drawBars(map) {
  const { pen, layout, view, grid, colours } = map;
  const scale = layout.side / view.span;
  const totals = grid.actual.at(-1);
  const [first, last] = map.seen(view.y);
  const room = layout.bars - 12;
  const x = layout.left + layout.side + 6;
  const thick = Math.max(1, Math.min(18, scale - (scale > 4 ? 2 : 0)));
  pen.font = `600 11px ${FONT}`;
  pen.textAlign = "left";
  pen.fillStyle = colours.muted;
  pen.fillText("items", x, 8);
  pen.fillStyle = colours.bar;
  for (let row = first; row < last; row++) {
    const y = layout.top + (row + 0.5 - view.y) * scale - thick / 2;
    if (y < layout.top - thick || y + thick > layout.top + layout.side + thick) continue;
    const long = map.heaviest ? (totals[row] / map.heaviest) * room : 0;
    const cut = Math.max(y, layout.top);
    pen.fillRect(x, cut, Math.max(totals[row] ? 1 : 0, long), Math.min(y + thick, layout.top + layout.side) - cut);
  }
  drawPosition(map);
}

/** Where the view lies in the whole, as scroll bars show it. */
function drawPosition(map) {
  const { pen, layout, view, grid, colours } = map;
  if (view.span >= grid.n) return;
  const part = layout.side / grid.n;
  pen.fillStyle = colours.faint;
  pen.fillRect(layout.left, layout.top + layout.side + 4, layout.side, 3);
  pen.fillStyle = colours.muted;
  const long = Math.max(8, view.span * part);
  pen.fillRect(layout.left + Math.min(view.x * part, layout.side - long), layout.top + layout.side + 4, long, 3);
  pen.fillRect(layout.left + layout.side + 2, layout.top + Math.min(view.y * part, layout.side - long), 2, long);
}

export function drawMarks(map) {
  const { pen, layout, view, colours } = map;
  const scale = layout.side / view.span;
  const box = ([row, col], colour, width, dashes) => {
    const size = Math.max(scale, 6);
    const x = layout.left + (col + 0.5 - view.x) * scale - size / 2;
    const y = layout.top + (row + 0.5 - view.y) * scale - size / 2;
    if (x + size < layout.left || y + size < layout.top) return;
    if (x > layout.left + layout.side || y > layout.top + layout.side) return;
    pen.lineWidth = width + 2;
    pen.strokeStyle = colours.card;
    pen.setLineDash([]);
    pen.strokeRect(x, y, size, size);
    pen.lineWidth = width;
    pen.strokeStyle = colour;
    pen.setLineDash(dashes);
    pen.strokeRect(x, y, size, size);
    pen.setLineDash([]);
  };
  if (map.marks.cell) box(map.marks.cell, colours.ink, 2, []);
  if (map.marks.cursor) box(map.marks.cursor, colours.accent, 2, [4, 2]);
}

/** A text cut to a width in the present font. */
function fit(map, text, room) {
  const key = `${map.pen.font}|${Math.round(room)}|${text}`;
  let found = map.fitted.get(key);
  if (found === undefined) {
    found = cut(map.pen, text, room);
    if (map.fitted.size > 4000) map.fitted.clear();
    map.fitted.set(key, found);
  }
  return found;
}

/** A text with an ellipsis in its middle where it does not fit: names that differ often differ at their ends. */
function cut(pen, text, room) {
  const start = text.length > 200 ? `${text.slice(0, 100)}…${text.slice(-100)}` : text;
  if (pen.measureText(start).width <= room) return start;
  const signs = [...start];
  let [low, high] = [0, signs.length];
  const kept = (many) => `${signs.slice(0, (many + 1) >> 1).join("")}…${signs.slice(signs.length - (many >> 1)).join("")}`;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(kept(middle)).width <= room) low = middle;
    else high = middle - 1;
  }
  return low ? kept(low) : "";
}
