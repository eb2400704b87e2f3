// The heat map: paints a grid on a canvas, the part that is seen and no more.
//
// Cells are written as pixels, whatever their number, so that the time of a drawing is bounded by the pixels and by
// the cells of the visible rows. Where cells are smaller than a pixel, the strongest one wins, and strong errors are
// drawn a little larger than they are: one bad confusion among a million cells is seen.

import { inkOn, palette, shade, shadeOfDifference } from "./colours.js";
import { brief, shortShare, signed } from "./numbers.js";
import { ERROR, HIT, NEUTRAL, largest, quarterOf, roleOf, valuesOf } from "./grid.js";
import { layoutOf, whole, clamped } from "./view.js";

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
/** How strongly a hit claims its pixel against errors, where they share one. */
const CLAIM_OF_HITS = 170;
const DIFFERENCE = 3;

export class HeatMap {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.room = { width: 600, height: 560 };
    this.marks = { cell: null, focus: null, cursor: null };
    this.fitted = new Map();
    this.asked = false;
  }

  /** Takes the colours of a theme; `colours` are those of the page. */
  setTheme(theme, colours) {
    this.palette = palette(theme);
    this.colours = colours;
    const { hit, error, neutral, difference } = this.palette.pixels;
    this.pixelOf = new Uint32Array(4 * 256);
    [hit, error, neutral, difference].forEach((steps, at) => this.pixelOf.set(steps, at * 256));
    this.ask();
  }

  /** Takes a grid, how it is normalised, and where lines between groups belong. */
  setGrid(grid, norm, lines) {
    this.grid = grid;
    this.norm = norm;
    this.lines = lines;
    this.difference = grid.counts.length > 1;
    this.values = valuesOf(grid, norm);
    this.scale = largest(grid, this.values);
    this.codes = codesOf(grid, this.values, this.scale, this.difference);
    this.heaviest = grid.actual.at(-1).reduce((most, value) => Math.max(most, value), 0);
    if (!this.view || this.size !== grid.n) this.view = whole(grid.n);
    this.size = grid.n;
    this.measure();
  }

  /** Takes the room there is, and finds the place of everything in it. */
  setRoom(width, height) {
    this.room = { width, height };
    if (this.grid) this.measure();
  }

  measure() {
    const { context, grid } = this;
    context.font = `12px ${FONT}`;
    let widest = 20;
    for (const unit of grid.units.slice(0, 400)) {
      widest = Math.max(widest, context.measureText(unit.text.slice(0, 40)).width);
    }
    this.fitted.clear();
    this.layout = layoutOf(this.room.width, this.room.height, grid.n, Math.ceil(widest));
    const ratio = Math.min(3, globalThis.devicePixelRatio || 1);
    const { canvas, layout } = this;
    canvas.width = Math.round(layout.width * ratio);
    canvas.height = Math.round(layout.height * ratio);
    canvas.style.width = `${layout.width}px`;
    canvas.style.height = `${layout.height}px`;
    this.ratio = ratio;
    const pixels = Math.round(layout.side * ratio);
    this.image = context.createImageData(pixels, pixels);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.claims = new Uint8Array(pixels * pixels);
    this.ask();
  }

  setView(view) {
    this.view = clamped(view, this.grid.n);
    this.ask();
  }

  setMarks(marks) {
    this.marks = { ...this.marks, ...marks };
    this.ask();
  }

  /** Draws with the next frame, once, however often it is asked. */
  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.asked = false;
    if (!this.grid || !this.palette) return;
    const begin = performance.now();
    const { context, layout, ratio } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.paint();
    context.putImageData(this.image, Math.round(layout.left * ratio), Math.round(layout.top * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawLines();
    this.drawTexts();
    this.drawRoles();
    this.drawLabels();
    this.drawBars();
    this.drawMarks();
    // For benchmarks, and for who wonders.
    this.canvas.dataset.milliseconds = (performance.now() - begin).toFixed(2);
  }

  /** Rows and columns that are seen, as [first, after the last]. */
  seen(start) {
    const { view, grid } = this;
    return [Math.max(0, Math.floor(start)), Math.min(grid.n, Math.ceil(start + view.span))];
  }

  paint() {
    const { grid, view, pixels, claims, codes, pixelOf } = this;
    const size = this.image.width;
    const scale = size / view.span;
    const tiny = scale < 3;
    pixels.fill(this.palette.paper);
    if (tiny) claims.fill(0);
    const [top, bottom] = this.seen(view.y);
    const [left, right] = this.seen(view.x);
    for (let row = top; row < bottom; row++) {
      const y = Math.max(0, Math.round((row - view.y) * scale));
      const yEnd = Math.min(size, Math.max(y + 1, Math.round((row + 1 - view.y) * scale)));
      const end = grid.starts[row + 1];
      for (let i = firstFrom(grid.cols, grid.starts[row], end, left); i < end && grid.cols[i] < right; i++) {
        const x = Math.max(0, Math.round((grid.cols[i] - view.x) * scale));
        const xEnd = Math.min(size, Math.max(x + 1, Math.round((grid.cols[i] + 1 - view.x) * scale)));
        if (tiny) this.paintTiny(x, y, codes[i], scale);
        else {
          const colour = pixelOf[codes[i]];
          for (let at = y; at < yEnd; at++) pixels.fill(colour, at * size + x, at * size + xEnd);
        }
      }
    }
  }

  /** One cell that is hardly larger than a pixel: the stronger it is, the more room it gets, and it keeps it. */
  paintTiny(x, y, code, scale) {
    const { pixels, claims, ratio } = this;
    const size = this.image.width;
    const role = code >> 8;
    const strength = role === DIFFERENCE ? Math.abs((code & 255) - 128) * 2 : code & 255;
    const claim = role === HIT ? CLAIM_OF_HITS : Math.min(255, strength + 1);
    const grown = role === HIT ? ratio : Math.round((0.6 + (2.6 * strength) / 255) * ratio);
    const wide = Math.max(1, Math.round(scale), grown);
    const colour = this.pixelOf[code];
    const from = -((wide - 1) >> 1);
    for (let j = Math.max(0, y + from); j < Math.min(size, y + from + wide); j++) {
      for (let i = Math.max(0, x + from); i < Math.min(size, x + from + wide); i++) {
        if (claims[j * size + i] >= claim) continue;
        claims[j * size + i] = claim;
        pixels[j * size + i] = colour;
      }
    }
  }

  drawLines() {
    const { context, layout, view, grid, colours } = this;
    const scale = layout.side / view.span;
    const { left, top, side } = layout;
    context.fillStyle = colours.card;
    if (scale >= 7) {
      for (const [start, vertical] of [[view.x, true], [view.y, false]]) {
        const [first, last] = this.seen(start);
        for (let i = first + 1; i < last; i++) {
          const at = Math.round((i - start) * scale);
          if (vertical) context.fillRect(left + at - 0.5, top, 1, side);
          else context.fillRect(left, top + at - 0.5, side, 1);
        }
      }
    }
    const between = (at, width, colour) => {
      context.fillStyle = colour;
      const across = (at - view.x) * scale;
      const down = (at - view.y) * scale;
      if (across > 0 && across < side) context.fillRect(left + across - width / 2, top, width, side);
      if (down > 0 && down < side) context.fillRect(left, top + down - width / 2, side, width);
    };
    for (const at of this.lines) between(at, 1, colours.faint);
    if (grid.inside < grid.n) between(grid.inside, 2, colours.muted);
  }

  /** Values in the cells that have room for them. */
  drawTexts() {
    const { context, layout, view, grid } = this;
    const scale = layout.side / view.span;
    if (scale < 22) return;
    const [top, bottom] = this.seen(view.y);
    const [left, right] = this.seen(view.x);
    const large = Math.min(15, Math.max(9.5, scale * 0.24));
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.save();
    context.beginPath();
    context.rect(layout.left, layout.top, layout.side, layout.side);
    context.clip();
    for (let row = top; row < bottom; row++) {
      const end = grid.starts[row + 1];
      for (let i = firstFrom(grid.cols, grid.starts[row], end, left); i < end && grid.cols[i] < right; i++) {
        const x = layout.left + (grid.cols[i] + 0.5 - view.x) * scale;
        const y = layout.top + (row + 0.5 - view.y) * scale;
        this.drawText(i, x, y, scale, large);
      }
    }
    context.restore();
  }

  drawText(i, x, y, scale, large) {
    const { context, grid, values, norm, difference } = this;
    const code = this.codes[i];
    context.fillStyle = inkOn(this.palette.ramps[["hit", "error", "neutral", "difference"][code >> 8]][code & 255]);
    const rate = norm !== "none";
    const roomy = scale >= 46;
    const write = (value) => (rate ? shortShare(value, roomy) : brief(value));
    const text = difference ? signed(values[i], write) : write(values[i]);
    const both = rate && !difference && scale >= 44;
    if (both) {
      context.font = `${large * 0.76}px ${FONT}`;
      context.globalAlpha = 0.86;
      context.fillText(brief(grid.counts[0][i]), x, y + large * 0.68, scale - 4);
      context.globalAlpha = 1;
    }
    context.font = `600 ${large}px ${FONT}`;
    if (context.measureText(text).width <= scale - 3) context.fillText(text, x, both ? y - large * 0.46 : y);
  }

  /** What is TP, FP, FN and TN for the class in focus. */
  drawRoles() {
    const { context, layout, view, grid, colours } = this;
    const unit = this.marks.focus;
    if (unit === null) return;
    const scale = layout.side / view.span;
    const wide = Math.max(scale, 3);
    const x = layout.left + (unit - view.x) * scale;
    const y = layout.top + (unit - view.y) * scale;
    context.save();
    context.beginPath();
    context.rect(layout.left, layout.top, layout.side, layout.side);
    context.clip();
    context.fillStyle = colours.card;
    context.globalAlpha = 0.66;
    for (const [left, right] of [[layout.left, x], [x + wide, layout.left + layout.side]]) {
      for (const [top, bottom] of [[layout.top, y], [y + wide, layout.top + layout.side]]) {
        if (right > left && bottom > top) context.fillRect(left, top, right - left, bottom - top);
      }
    }
    context.globalAlpha = 1;
    context.lineWidth = 2;
    const frame = (colour, ...box) => {
      context.strokeStyle = colour;
      context.strokeRect(...box);
    };
    frame(colours.fn, layout.left + 1, y, layout.side - 2, wide);
    frame(colours.fp, x, layout.top + 1, wide, layout.side - 2);
    frame(colours.tp, x, y, wide, wide);
    if (scale >= 30) this.drawTags(unit, scale);
    context.restore();
    if (scale < 30) this.drawEdgeTags(x + wide / 2, y + wide / 2);
    void grid;
  }

  drawTags(unit, scale) {
    const { context, layout, view, colours } = this;
    context.font = `700 9px ${FONT}`;
    context.textAlign = "left";
    context.textBaseline = "top";
    const [top, bottom] = this.seen(view.y);
    const [left, right] = this.seen(view.x);
    for (let row = top; row < bottom; row++) {
      for (let col = left; col < right; col++) {
        const name = quarterOf(unit, row, col);
        const x = layout.left + (col - view.x) * scale + 3;
        const y = layout.top + (row - view.y) * scale + 3;
        const width = 17;
        context.fillStyle = colours.card;
        context.globalAlpha = name === "TN" ? 0 : 0.9;
        context.fillRect(x - 1, y - 1, width, 11);
        context.globalAlpha = name === "TN" ? 0.75 : 1;
        context.fillStyle = colours[name.toLowerCase()];
        context.fillText(name, x + 1, y);
        context.globalAlpha = 1;
      }
    }
  }

  /** Where cells are too small for words, the words stand at the ends of the row and the column. */
  drawEdgeTags(x, y) {
    const { context, layout, colours } = this;
    const right = layout.left + layout.side;
    context.font = `700 10px ${FONT}`;
    context.textBaseline = "middle";
    const tag = (text, colour, tx, ty) => {
      if (tx < layout.left || tx > right || ty < layout.top || ty > layout.top + layout.side) return;
      context.fillStyle = colours.card;
      context.fillRect(tx - 10, ty - 7, 20, 14);
      context.fillStyle = colour;
      context.textAlign = "center";
      context.fillText(text, tx, ty);
    };
    tag("FN", colours.fn, x < (layout.left + right) / 2 ? right - 12 : layout.left + 12, y);
    tag("FP", colours.fp, x, y < layout.top + layout.side / 2 ? layout.top + layout.side - 9 : layout.top + 9);
  }

  drawLabels() {
    const { context, layout, view, grid, colours } = this;
    const scale = layout.side / view.span;
    const step = Math.max(1, Math.ceil(13 / scale));
    const upright = layout.top > 50;
    const write = (unit, room, strong) => {
      const style = `${unit.outside ? "italic " : ""}${strong ? "700 " : unit.group >= 0 ? "600 " : ""}`;
      context.font = `${style}${Math.min(12, Math.max(10, scale * 0.9))}px ${FONT}`;
      context.fillStyle = strong ? colours.ink : step > 1 || unit.outside ? colours.muted : colours.ink;
      return this.fit(unit.group >= 0 ? `▸ ${unit.text}` : unit.text, room);
    };
    context.textBaseline = "middle";
    for (const [start, vertical] of [[view.y, false], [view.x, true]]) {
      const [first, last] = this.seen(start);
      for (let i = Math.ceil(first / step) * step; i < last; i += step) {
        const at = (i + 0.5 - start) * scale;
        if (at < 0 || at > layout.side) continue;
        const strong = i === this.marks.focus;
        context.textAlign = vertical ? (upright ? "left" : "center") : "right";
        if (!vertical) context.fillText(write(grid.units[i], layout.left - 26, strong), layout.left - 6, layout.top + at);
        else if (!upright) context.fillText(write(grid.units[i], scale - 4, strong), layout.left + at, layout.top - 11);
        else {
          context.save();
          context.translate(layout.left + at, layout.top - 6);
          context.rotate(-Math.PI / 2);
          context.fillText(write(grid.units[i], layout.top - 28, strong), 0, 0);
          context.restore();
        }
      }
    }
    this.drawAxes();
  }

  drawAxes() {
    const { context, layout, colours } = this;
    context.font = `600 11px ${FONT}`;
    context.fillStyle = colours.muted;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText("predicted →", layout.left, 8);
    context.save();
    context.translate(8, layout.top);
    context.rotate(-Math.PI / 2);
    context.textAlign = "right";
    context.fillText("← actual", 0, 0);
    context.restore();
  }

  /** How many items each actual class has: a bar at the end of its row. */
  drawBars() {
    const { context, layout, view, grid, colours } = this;
    const scale = layout.side / view.span;
    const totals = grid.actual.at(-1);
    const [first, last] = this.seen(view.y);
    const room = layout.bars - 12;
    const x = layout.left + layout.side + 6;
    const thick = Math.max(1, Math.min(18, scale - (scale > 4 ? 2 : 0)));
    context.font = `600 11px ${FONT}`;
    context.textAlign = "left";
    context.fillStyle = colours.muted;
    context.fillText("items", x, 8);
    context.fillStyle = colours.bar;
    for (let row = first; row < last; row++) {
      const y = layout.top + (row + 0.5 - view.y) * scale - thick / 2;
      if (y < layout.top - thick || y + thick > layout.top + layout.side + thick) continue;
      const long = this.heaviest ? (totals[row] / this.heaviest) * room : 0;
      const cut = Math.max(y, layout.top);
      context.fillRect(x, cut, Math.max(totals[row] ? 1 : 0, long), Math.min(y + thick, layout.top + layout.side) - cut);
    }
    this.drawPosition();
  }

  /** Where the view lies in the whole, as scroll bars show it. */
  drawPosition() {
    const { context, layout, view, grid, colours } = this;
    if (view.span >= grid.n) return;
    const part = layout.side / grid.n;
    context.fillStyle = colours.faint;
    context.fillRect(layout.left, layout.top + layout.side + 4, layout.side, 3);
    context.fillStyle = colours.muted;
    const long = Math.max(8, view.span * part);
    context.fillRect(layout.left + Math.min(view.x * part, layout.side - long), layout.top + layout.side + 4, long, 3);
    context.fillRect(layout.left + layout.side + 2, layout.top + Math.min(view.y * part, layout.side - long), 2, long);
  }

  drawMarks() {
    const { context, layout, view, colours } = this;
    const scale = layout.side / view.span;
    const box = ([row, col], colour, width, dashes) => {
      const size = Math.max(scale, 6);
      const x = layout.left + (col + 0.5 - view.x) * scale - size / 2;
      const y = layout.top + (row + 0.5 - view.y) * scale - size / 2;
      if (x + size < layout.left || y + size < layout.top) return;
      if (x > layout.left + layout.side || y > layout.top + layout.side) return;
      context.lineWidth = width + 2;
      context.strokeStyle = colours.card;
      context.setLineDash([]);
      context.strokeRect(x, y, size, size);
      context.lineWidth = width;
      context.strokeStyle = colour;
      context.setLineDash(dashes);
      context.strokeRect(x, y, size, size);
      context.setLineDash([]);
    };
    if (this.marks.cell) box(this.marks.cell, colours.ink, 2, []);
    if (this.marks.cursor) box(this.marks.cursor, colours.accent, 2, [4, 2]);
  }

  /** A text cut to a width in the present font. */
  fit(text, room) {
    const key = `${this.context.font}|${Math.round(room)}|${text}`;
    let found = this.fitted.get(key);
    if (found === undefined) {
      found = cut(this.context, text, room);
      if (this.fitted.size > 4000) this.fitted.clear();
      this.fitted.set(key, found);
    }
    return found;
  }
}

/** A text with an ellipsis where it no longer fits. */
function cut(context, text, room) {
  const start = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  if (context.measureText(start).width <= room) return start;
  const signs = [...start];
  let [low, high] = [0, signs.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${signs.slice(0, middle).join("")}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return low ? `${signs.slice(0, low).join("")}…` : "";
}

/** The first position from `start` whose column is not before `col`. */
function firstFrom(cols, start, end, col) {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cols[middle] < col) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Hue and shade of every cell as one number. */
function codesOf(grid, values, scale, difference) {
  const codes = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) {
    if (difference) codes[i] = (DIFFERENCE << 8) | shadeOfDifference(values[i], scale.difference);
    else {
      const role = roleOf(grid, grid.rows[i], grid.cols[i]);
      const hue = role === HIT ? 0 : role === NEUTRAL ? 2 : ERROR;
      codes[i] = (hue << 8) | shade(values[i], scale.most[role]);
    }
  }
  return codes;
}
