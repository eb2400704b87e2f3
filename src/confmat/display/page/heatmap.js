// The heat map: paints a grid on a canvas, the part that is seen and no more.
//
// Cells are written as pixels, whatever their number, so that the time of a drawing is bounded by the pixels and by
// the cells of the visible rows. Where cells are smaller than a pixel, the strongest one wins, and strong errors are
// drawn a little larger than they are: one bad confusion among a million cells is seen.

import { inkOn, palette, shade, shadeOfDifference } from "./colours.js";
import { HOLDS } from "./differences.js";
import { brief, count, points, shortShare, signed } from "./numbers.js";
import { FONT, clip, drawBars, drawLabels, drawMarks, drawRings, drawRoles } from "./annotations.js";
import { ERROR, HIT, HUES, NEUTRAL, QUIET, largest, roleOf, scaleOf, valuesOf } from "./grid.js";
import { firstFrom } from "./payload.js";
import { layoutOf, whole, clamped } from "./view.js";

/** A hit keeps its pixels against the errors beside it: the diagonal is what one finds one's way by. */
const CLAIM_OF_HITS = 256;
/** How wide a hit is at least, so that the grown errors of its neighbours do not drown it. */
const WIDTH_OF_HITS = 2;
const DIFFERENCE = 3;
/** Pixels of a side that a cell has at least which is shown to hold. */
const LEAST_SHOWN = 6;
/** Pixels of a group that has lines around it. */
const LEAST_GROUP = 14;
/** So many classes have room for all of their names. */
const MOST_NAMED = 40;
/** The code of a cell that is not painted. */
const HIDDEN = 0xffff;
/** The darkest grey of a difference that may be nothing, beside the darkest of those that hold. */
const FAINT = 0.18;
/** Errors that are shown to hold begin with this shade, however small. */
const LOUD = 204;
/** Pixels: the cells that get a text, the size of the smallest text, and the room that it leaves in its cell. */
const SMALLEST_CELL = 22;
const SMALLEST_TEXT = 9.5;
const MARGIN = 3;
/** Classes are of one size if the smallest has at least this part of the largest. */
const EVEN = 0.95;
/** A text that is too wide by up to this factor is drawn narrower; a wider one is left out. */
const NARROWED = 1.4;

export class HeatMap {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.room = { width: 600, height: 560 };
    this.marks = { cell: null, focus: null, cursor: null };
    this.fitted = new Map();
    this.asked = false;
  }

  /** Takes the colours of a theme; `colours` are those of the page. */
  setTheme(theme, colours) {
    this.palette = palette(theme);
    this.colours = colours;
    this.pixelOf = new Uint32Array(HUES.length * 256);
    HUES.forEach((hue, at) => this.pixelOf.set(this.palette.pixels[hue], at * 256));
    this.ask();
  }

  /**
   * Takes a grid, how it is normalised, the groups whose rows are side by side, verdicts on differences, and whether
   * errors were held against those that are expected.
   */
  setGrid(grid, norm, runs, only, one, ofCell, tested) {
    this.grid = grid;
    this.norm = norm;
    this.only = only;
    this.ofCell = ofCell;
    this.runs = runs;
    this.difference = grid.counts.length > 1;
    // Of two models, what stands out is what is shown to differ, where that was tested.
    const loud = (i) => {
      const said = this.difference && ofCell(grid.units[grid.rows[i]].id, grid.units[grid.cols[i]].id);
      return said ? said === HOLDS : grid.loud[i];
    };
    this.values = valuesOf(grid, norm, only && loud);
    this.scale = largest(grid, this.values, norm, one);
    // Whoever wants one scale wants every shade.
    this.tested = !this.difference && !one && norm !== "cost" && tested;
    this.codes = codesOf(grid, this.values, this.scale, this.difference && ofCell, this.tested);
    const strong = (i) => (this.difference ? Math.abs(this.values[i]) : -grid.loud[i]);
    const shown = (i) => (this.difference ? loud(i) : this.tested && grid.loud[i]) && this.codes[i] !== HIDDEN;
    this.held = [...grid.cols.keys()].filter(shown).sort((a, b) => strong(b) - strong(a));
    const sizes = grid.actual.at(-1);
    this.heaviest = sizes.reduce((most, value) => Math.max(most, value), 0);
    // Bars of one length would say nothing.
    this.even = sizes.every((size) => size >= EVEN * this.heaviest);
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
    const { pen, grid } = this;
    pen.font = `700 12px ${FONT}`;
    const texts = grid.units.slice(0, 400).map((unit) => (unit.group >= 0 ? "▸ " : "") + unit.short);
    // Beside many classes, groups are named in their place.
    if (grid.n > MOST_NAMED) texts.push(...this.runs.map((run) => run.name));
    const widest = Math.max(20, ...texts.map((text) => pen.measureText(text.slice(0, 40)).width));
    this.fitted.clear();
    pen.font = `600 ${SMALLEST_TEXT}px ${FONT}`;
    const textCell = Math.max(SMALLEST_CELL, pen.measureText("100%").width / NARROWED + MARGIN);
    this.layout = layoutOf(this.room.width, this.room.height, grid.n, Math.ceil(widest), textCell,
      Math.max(0, ...this.runs.map(({ depth }) => depth + 1)), this.even);
    const ratio = Math.min(3, globalThis.devicePixelRatio || 1);
    const { canvas, layout } = this;
    canvas.width = Math.round(layout.width * ratio);
    canvas.height = Math.round(layout.height * ratio);
    canvas.style.width = `${layout.width}px`;
    canvas.style.height = `${layout.height}px`;
    this.ratio = ratio;
    const pixels = Math.round(layout.side * ratio);
    this.image = pen.createImageData(pixels, pixels);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.claims = new Uint16Array(pixels * pixels);
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

  /** Pixels of the side of a cell. */
  get zoom() {
    return this.layout.side / this.view.span;
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
    const { pen, layout, ratio } = this;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.paint();
    pen.putImageData(this.image, Math.round(layout.left * ratio), Math.round(layout.top * ratio));
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawOver(this);
    // For tests and benchmarks: where the cells lie, which of them are seen, and how long the drawing took.
    const { x, y, span } = this.view;
    this.canvas.dataset.cells = [layout.left, layout.top, layout.side, x, y, span].join(" ");
    this.canvas.dataset.milliseconds = (performance.now() - begin).toFixed(2);
  }

  /** All but the colours of the cells, with the pen of `map`; `frame` hides what lies beside them. */
  drawOver(map, frame) {
    map.drawLines();
    map.drawTexts();
    frame?.();
    for (const part of [drawRoles, drawLabels, drawBars, drawRings, drawMarks]) part(map);
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
        if (codes[i] === HIDDEN) continue;
        const x = Math.max(0, Math.round((grid.cols[i] - view.x) * scale));
        const xEnd = Math.min(size, Math.max(x + 1, Math.round((grid.cols[i] + 1 - view.x) * scale)));
        if (tiny) this.paintTiny(x, y, codes[i], scale);
        else {
          const colour = pixelOf[codes[i]];
          for (let at = y; at < yEnd; at++) pixels.fill(colour, at * size + x, at * size + xEnd);
        }
      }
    }
    // Whatever is shown is seen, however small its cell.
    if (scale >= LEAST_SHOWN * this.ratio) return;
    const wide = LEAST_SHOWN * this.ratio;
    const from = (at, start) => Math.round((at + 0.5 - start) * scale - wide / 2);
    const within = (at) => Math.min(size, Math.max(0, at));
    for (const i of this.held) {
      const [x, y] = [from(grid.cols[i], view.x), from(grid.rows[i], view.y)];
      for (let down = within(y); down < within(y + wide); down++) {
        for (let at = down * size + within(x); at < down * size + within(x + wide); at++) {
          if (!tiny || claims[at] <= CLAIM_OF_HITS) pixels[at] = pixelOf[codes[i]];
        }
      }
    }
  }

  /** One cell that is hardly larger than a pixel: what is strong gets more room, and keeps it. */
  paintTiny(x, y, code, scale) {
    const { pixels, claims, ratio } = this;
    const size = this.image.width;
    const role = code >> 8;
    const strength = role === DIFFERENCE ? Math.abs((code & 255) - 128) * 2 : code & 255;
    const claim = strength + (role === HIT ? CLAIM_OF_HITS : 1);
    const grown = Math.round((role === HIT ? WIDTH_OF_HITS : 0.6 + (2.6 * strength) / 255) * ratio);
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
    const { pen, layout, view, grid, colours } = this;
    const scale = this.zoom;
    const { left, top, side } = layout;
    pen.fillStyle = colours.card;
    if (scale >= 7) {
      for (const [start, vertical] of [[view.x, true], [view.y, false]]) {
        const [first, last] = this.seen(start);
        for (let i = first + 1; i < last; i++) {
          const at = Math.round((i - start) * scale);
          if (vertical) pen.fillRect(left + at - 0.5, top, 1, side);
          else pen.fillRect(left, top + at - 0.5, side, 1);
        }
      }
    }
    const between = (at, width, colour) => {
      pen.fillStyle = colour;
      const across = (at - view.x) * scale;
      const down = (at - view.y) * scale;
      if (across > 0 && across < side) pen.fillRect(left + across - width / 2, top, width, side);
      if (down > 0 && down < side) pen.fillRect(left, top + down - width / 2, side, width);
    };
    // Between small groups, lines would hide what lies between them.
    for (const { start, size } of this.runs) {
      if (size * scale >= LEAST_GROUP) [start, start + size].forEach((at) => between(at, 1, colours.faint));
    }
    if (grid.inside < grid.n) between(grid.inside, 2, colours.muted);
  }

  /** Values in the cells that have room for them. */
  drawTexts() {
    const { pen, layout, view, grid } = this;
    const scale = this.zoom;
    if (scale < SMALLEST_CELL) return;
    const [top, bottom] = this.seen(view.y);
    const [left, right] = this.seen(view.x);
    const large = Math.min(15, Math.max(SMALLEST_TEXT, scale * 0.24));
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    clip(this);
    for (let row = top; row < bottom; row++) {
      const end = grid.starts[row + 1];
      for (let i = firstFrom(grid.cols, grid.starts[row], end, left); i < end && grid.cols[i] < right; i++) {
        const x = layout.left + (grid.cols[i] + 0.5 - view.x) * scale;
        const y = layout.top + (row + 0.5 - view.y) * scale;
        this.drawText(i, x, y, scale, large);
      }
    }
    pen.restore();
  }

  drawText(i, x, y, scale, large) {
    const { pen, grid, values, norm, difference } = this;
    const code = this.codes[i];
    if (code === HIDDEN) return;
    // What may be nothing is pale.
    const ramp = this.palette.ramps[HUES[code >> 8]];
    pen.fillStyle = difference && code >> 8 === NEUTRAL ? this.colours.muted : inkOn(ramp[code & 255]);
    const rate = !["none", "excess", "cost"].includes(norm);
    const roomy = scale >= 46;
    // More in the one and more in the other need the same room, whatever the signs of a font are like.
    const room = scale - MARGIN;
    const fits = (text, more = 1) => pen.measureText(text.replace("−", "+")).width <= room * more;
    const number = (value) => (Number.isInteger(value) && fits(count(value)) ? count(value) : brief(value));
    const write = (value) => number(norm === "excess" ? Math.round(value) + 0 : value).replace("-", "−");
    // Percentage points, as the legend says.
    const told = (value) => (rate ? points(value, roomy || Math.abs(value) < 0.0995 ? 1 : 0) : signed(value, write));
    const both = rate && !difference && scale >= 44;
    if (both) {
      pen.font = `${large * 0.76}px ${FONT}`;
      pen.globalAlpha = 0.86;
      pen.fillText(shortShare(values[i], roomy), x, y + large * 0.68, room);
      pen.globalAlpha = 1;
    }
    pen.font = `${code >> 8 === QUIET ? 400 : 600} ${large}px ${FONT}`;
    const text = difference ? told(values[i]) : rate ? number(grid.counts[0][i]) : write(values[i]);
    // The largest values have the longest texts; they are rather narrow than missing.
    if (difference || fits(text, NARROWED)) pen.fillText(text, x, both ? y - large * 0.46 : y, room);
  }
}

/** The shade of an error that is shown to hold. */
export const louder = (dark) => LOUD + Math.round((dark * (255 - LOUD)) / 255);

/** Hue and shade of every cell as one number. */
function codesOf(grid, values, scale, ofCell, tested) {
  const codes = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const role = roleOf(grid, grid.rows[i], grid.cols[i]);
    if (Number.isNaN(values[i])) codes[i] = HIDDEN;
    else if (ofCell) {
      const [row, col] = [grid.units[grid.rows[i]].id, grid.units[grid.cols[i]].id];
      const size = Math.abs(values[i]);
      // Fewer errors are as good as more hits; changes that are not shown to be any are grey.
      const better = (values[i] > 0) === (role === HIT);
      codes[i] = ofCell(row, col) === HOLDS && role !== NEUTRAL
        ? (DIFFERENCE << 8) | shadeOfDifference(better ? size : -size, scale.difference)
        : (NEUTRAL << 8) | Math.round(FAINT * shade(size, scale.difference));
    } else {
      const dark = shade(values[i], scale.most[scaleOf(role)]);
      codes[i] = !tested || role !== ERROR ? (role << 8) | dark : grid.loud[i] ? (role << 8) | louder(dark) : (QUIET << 8) | 1;
    }
  }
  return codes;
}
