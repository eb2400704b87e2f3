// What surrounds the cells of the heat map and marks them: labels, bars, roles, the cursor.

import { count } from "./numbers.js";
import { EDGE, STRIP } from "./view.js";

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/** From here on until `restore`, nothing is drawn beside the cells. */
export function clip({ pen, layout: { left, top, side } }) {
  pen.save();
  pen.beginPath();
  pen.rect(left, top, side, side);
  pen.clip();
}

/** A frame with a halo of paper. */
function outlined({ pen, colours }, colour, width, ...box) {
  for (const [hue, wide] of [[colours.card, width + 2], [colour, width]]) {
    pen.strokeStyle = hue;
    pen.lineWidth = wide;
    pen.strokeRect(...box);
  }
}

/** What is TP, FP, FN and TN for the class in focus. */
export function drawRoles(map) {
  const { pen, layout, view, colours } = map;
  if (map.marks.focus === null) return;
  const { start, size } = map.marks.focus;
  const scale = map.zoom;
  const wide = Math.max(scale * size, 3);
  const x = layout.left + (start - view.x) * scale;
  const y = layout.top + (start - view.y) * scale;
  clip(map);
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
  pen.restore();
  // The names of the roles are behind the ends of the row and the column.
  const [right, bottom] = [layout.left + layout.side, layout.top + layout.side];
  pen.font = `700 10px ${FONT}`;
  pen.textBaseline = "middle";
  const tag = (text, colour, tx, ty) => {
    pen.fillStyle = colours.card;
    pen.fillRect(tx - 10, ty - 7, 20, 14);
    pen.fillStyle = colour;
    pen.textAlign = "center";
    pen.fillText(text, tx, ty);
  };
  const [across, down] = [x + wide / 2, y + wide / 2];
  if (down >= layout.top && down <= bottom) tag("FN", colours.fn, right + 12, down);
  if (across >= layout.left && across <= right) tag("FP", colours.fp, across, bottom + 8);
}

export function drawLabels(map) {
  const { pen, layout, view, colours } = map;
  const scale = map.zoom;
  const { upright } = layout;
  const room = { across: layout.left - 26 - layout.strips * STRIP, up: layout.top - 28 - layout.strips * STRIP };
  const write = ({ text, unit, strong, thin }, most) => {
    const style = `${unit?.outside ? "italic " : ""}${strong ? "700 " : unit?.group >= 0 || !unit ? "600 " : ""}`;
    pen.font = `${style}${Math.min(12, Math.max(10, scale * 0.9))}px ${FONT}`;
    pen.fillStyle = strong ? colours.ink : thin || unit?.outside ? colours.muted : colours.ink;
    const short = fit(map, text, most);
    return !unit && short !== text && text.includes(" + ") ? "" : short;
  };
  pen.textBaseline = "middle";
  for (const [start, vertical] of [[view.y, false], [view.x, true]]) {
    for (const label of labelled(map, start, scale)) {
      const at = (label.middle - start) * scale;
      if (at < 0 || at > layout.side) continue;
      pen.textAlign = vertical ? (upright ? "left" : "center") : "right";
      if (!vertical) pen.fillText(write(label, room.across), layout.left - 6, layout.top + at);
      else if (!upright) pen.fillText(write(label, scale - 4), layout.left + at, layout.top - 11);
      else {
        pen.save();
        pen.translate(layout.left + at, layout.top - 6);
        pen.rotate(-Math.PI / 2);
        pen.fillText(write(label, room.up), 0, 0);
        pen.restore();
      }
    }
  }
  drawGroups(map, scale);
  drawAxes(map);
}

/** Pixels from one label to the next. */
const LINE = 13;

/** The labels that have room: what is in focus, groups where classes are too many, and a class at regular distances. */
function labelled(map, start, scale) {
  const { grid, marks, runs } = map;
  const [first, last] = map.seen(start);
  const step = Math.max(1, Math.ceil(LINE / scale));
  const found = [];
  const add = (middle, text, unit, strong) => {
    if (found.every((other) => Math.abs(other.middle - middle) * scale >= LINE)) {
      found.push({ middle, text, unit, strong, thin: step > 1 && unit });
    }
  };
  const unitAt = (at, strong) => {
    const unit = grid.units[at];
    add(at + 0.5, unit.group >= 0 ? `▸ ${unit.short}` : unit.short, unit, strong);
  };
  if (marks.focus?.size === 1 && marks.focus.start >= first && marks.focus.start < last) unitAt(marks.focus.start, true);
  if (step > 1) {
    // Names that fit along their strips are read there.
    const told = (run) => run.depth < map.layout.strips && run.name.length * 7 < run.size * scale;
    const near = runs.filter((run) => run.innermost && !told(run) && run.start < last && run.start + run.size > first);
    near.sort((a, b) => b.size - a.size).forEach((run) => add(run.start + run.size / 2, run.name));
  }
  for (let at = Math.ceil(first / step) * step; at < last; at += step) unitAt(at);
  return found;
}

/** Pixels below which a group has no room for a letter. */
const THINNEST = 12;

/** Names of groups, in a strip for each level: along their rows and columns. */
function drawGroups(map, scale) {
  const { pen, layout, view, colours } = map;
  pen.font = `600 11px ${FONT}`;
  pen.textAlign = "center";
  for (const run of map.runs.filter(({ depth }) => depth < layout.strips)) {
    for (const [start, vertical] of [[view.y, false], [view.x, true]]) {
      const from = Math.max(0, (run.start - start) * scale);
      const to = Math.min(layout.side, (run.start + run.size - start) * scale);
      // Most groups are beside the view or thinner than a letter: nothing is measured for these.
      if (to - from < THINNEST) continue;
      const text = fit(map, run.name, to - from - 4);
      // A name made of two, cut between them, would read as a range.
      if (text !== run.name && (text.length < 5 || run.name.includes(" + "))) continue;
      const off = EDGE + (run.depth + 0.5) * STRIP;
      pen.save();
      pen.translate(vertical ? layout.left + from : off, vertical ? off : layout.top + to);
      if (!vertical) pen.rotate(-Math.PI / 2);
      pen.fillStyle = colours.muted;
      pen.fillRect(1, 6, to - from - 2, 1);
      pen.fillStyle = colours.ink;
      pen.fillText(text, (to - from) / 2, 0);
      pen.restore();
    }
  }
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
  const scale = map.zoom;
  const totals = grid.actual.at(-1);
  const [first, last] = map.seen(view.y);
  const room = layout.bars - 12;
  const shown = !map.even && room > 0;
  const x = layout.left + layout.side + 6;
  const thick = Math.max(1, Math.min(18, scale - (scale > 4 ? 2 : 0)));
  pen.font = `600 11px ${FONT}`;
  pen.textAlign = "left";
  pen.fillStyle = colours.muted;
  if (shown) pen.fillText("items", x, 8);
  pen.fillStyle = colours.bar;
  for (let row = first; row < last && shown; row++) {
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

/** So many cells are ringed, and named where cells have no room for numbers; a name is this many pixels high. */
const [MOST_RINGS, NAME] = [7, 16];

/** Rings around the foremost cells that are shown to hold. */
export function drawRings(map) {
  const { pen, layout, view, grid, colours } = map;
  const scale = map.zoom;
  const { left, top, side } = layout;
  const taken = [];
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  pen.font = `600 12px ${FONT}`;
  for (const i of map.held.slice(0, MOST_RINGS)) {
    const [x, y] = [left + (grid.cols[i] + 0.5 - view.x) * scale, top + (grid.rows[i] + 0.5 - view.y) * scale];
    if (x < left || y < top || x > left + side || y > top + side) continue;
    // Around small cells, within large ones.
    const wide = scale < NAME ? Math.max(scale, 6) + 8 : scale - 2;
    outlined(map, colours.ink, 1.6, x - wide / 2, y - wide / 2, wide, wide);
    if (scale >= NAME) continue;
    const units = [grid.rows, grid.cols].map((places) => grid.units[places[i]].short);
    const text = fit(map, `${units.join(" → ")}  ${count(grid.counts.at(-1)[i])}`, side - 8);
    const long = pen.measureText(text).width + 8;
    const off = wide / 2 + 4;
    const start = x + off + long < left + side ? x + off : Math.max(left, x - off - long);
    const free = (at) => taken.every(([a, b, c]) => Math.abs(at - c) >= NAME || start > b || start + long < a);
    let at = y;
    while (!free(at)) at += NAME;
    taken.push([start, start + long, at]);
    pen.fillStyle = colours.card;
    pen.globalAlpha = 0.9;
    pen.fillRect(start, at - NAME / 2, long, NAME);
    pen.globalAlpha = 1;
    pen.fillStyle = colours.ink;
    pen.fillText(text, start + 4, at);
  }
}

export function drawMarks(map) {
  const { pen, layout, view, colours } = map;
  const scale = map.zoom;
  const box = ([row, col], colour) => {
    const [wide, tall] = [col, row].map(({ size }) => Math.max(scale * size, 6));
    const x = layout.left + (col.start + col.size / 2 - view.x) * scale - wide / 2;
    const y = layout.top + (row.start + row.size / 2 - view.y) * scale - tall / 2;
    if (x + wide < layout.left || y + tall < layout.top) return;
    if (x > layout.left + layout.side || y > layout.top + layout.side) return;
    outlined(map, colour, 2, x, y, wide, tall);
  };
  if (map.marks.cell) box(map.marks.cell, colours.ink);
  if (map.marks.cursor) box(map.marks.cursor.map((start) => ({ start, size: 1 })), colours.accent);
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
  const signs = [...text];
  const kept = (many) => (many === signs.length ? text : `${signs.slice(0, (many + 1) >> 1).join("")}…${signs.slice(signs.length - (many >> 1)).join("")}`);
  let many = signs.length;
  while (many && pen.measureText(kept(many)).width > room) many = Math.min(many - 1, 100);
  return many ? kept(many) : "";
}
