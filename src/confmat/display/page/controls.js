// Hands on the map: wheel, drag, pinch, taps and keys.

import { findCell } from "./grid.js";
import { firstFrom } from "./payload.js";
import { placeAt, revealing, whole, zoomed } from "./view.js";

const STEP = 1.25;
/** A pointer that has moved less was meant to stay. */
const STILL = 5;

/**
 * Connects a map to hands and keys. `act` has: view(view), hover(place or null, event), pick(place),
 * cursor(place, spoken), clear().
 */
export function connect(map, act) {
  const { canvas } = map;
  const size = () => map.grid.n;
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const at = (event) => placeAt(map.layout, map.view, size(), ...point(event));
  const gridPoint = ([x, y]) => {
    const scale = map.zoom;
    return [map.view.x + (x - map.layout.left) / scale, map.view.y + (y - map.layout.top) / scale];
  };
  connectWheel(map, act, point, gridPoint);
  connectPointers(map, act, { point, at, gridPoint });
  connectKeys(map, act);
}

function connectWheel(map, act, point, gridPoint) {
  map.canvas.addEventListener("wheel", (event) => {
    const factor = Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : event.ctrlKey ? 0.01 : 0.0016));
    const next = zoomed(map.view, factor, ...gridPoint(point(event)), map.grid.n);
    // Where the map cannot follow, the page scrolls.
    if (next.span === map.view.span) return;
    event.preventDefault();
    act.view(next);
  }, { passive: false });
}

function connectPointers(map, act, { point, at, gridPoint }) {
  const { canvas } = map;
  const held = new Map();
  let start = null;
  const spread = () => {
    const [a, b] = [...held.values()];
    return { far: Math.hypot(a[0] - b[0], a[1] - b[1]), middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] };
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    held.set(event.pointerId, point(event));
    canvas.setPointerCapture(event.pointerId);
    start = { view: map.view, from: point(event), moved: held.size > 1, pinch: null };
    if (held.size === 2) start.pinch = { far: spread().far, at: gridPoint(spread().middle) };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held.has(event.pointerId)) {
      act.hover(at(event), event);
      return;
    }
    held.set(event.pointerId, point(event));
    if (held.size === 2 && start.pinch) act.view(pinched(map, start, spread()));
    else if (held.size === 1) drag(map, act, start, point(event));
  });
  const release = (event) => {
    if (!held.delete(event.pointerId)) return;
    canvas.classList.remove("dragged");
    if (event.type === "pointerup" && !start.moved) {
      const place = at(event);
      if (place) act.pick(place);
    }
    // The finger that stays goes on dragging from where it is.
    if (held.size === 1) start = { view: map.view, from: [...held.values()][0], moved: true, pinch: null };
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => act.hover(null));
  canvas.addEventListener("dblclick", (event) => act.view(zoomed(map.view, 2.5, ...gridPoint(point(event)), map.grid.n)));
}

/** The view between two fingers: what lay between them stays there. */
function pinched(map, { view, pinch }, { far, middle }) {
  const [column, row] = pinch.at;
  const next = zoomed(view, far / pinch.far, column, row, map.grid.n);
  const scale = map.layout.side / next.span;
  return { ...next, x: column - (middle[0] - map.layout.left) / scale, y: row - (middle[1] - map.layout.top) / scale };
}

/** Moves the view with one finger or the mouse, once that has left its place. */
function drag(map, act, start, [x, y]) {
  const [dx, dy] = [x - start.from[0], y - start.from[1]];
  start.moved ||= Math.hypot(dx, dy) > STILL;
  if (!start.moved || start.view.span >= map.grid.n) return;
  map.canvas.classList.add("dragged");
  const scale = map.layout.side / start.view.span;
  act.view({ ...start.view, x: start.view.x - dx / scale, y: start.view.y - dy / scale });
}

/** The keys of the map, and what they do to the cursor and the view. */
function connectKeys(map, act) {
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  map.canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const n = map.grid.n;
    const [row, col] = map.marks.cursor ?? [Math.floor(map.view.y), Math.floor(map.view.x)];
    const to = (nextRow, nextCol) => {
      const place = [Math.min(n - 1, Math.max(0, nextRow)), Math.min(n - 1, Math.max(0, nextCol))];
      act.view(revealing(map.view, ...place, n));
      act.cursor(place);
    };
    const zoom = (factor) => act.view(zoomed(map.view, factor, col + 0.5, row + 0.5, n));
    if (moves[event.key]) {
      const [down, right] = moves[event.key];
      const far = event.shiftKey ? Math.max(1, Math.round(map.view.span / 4)) : map.marks.cursor ? 1 : 0;
      to(row + down * far, col + right * far);
    } else if (event.key === "Home") to(event.shiftKey ? 0 : row, 0);
    else if (event.key === "End") to(event.shiftKey ? n - 1 : row, n - 1);
    else if (event.key === "PageUp") to(row - Math.max(1, Math.floor(map.view.span * 0.8)), col);
    else if (event.key === "PageDown") to(row + Math.max(1, Math.floor(map.view.span * 0.8)), col);
    else if (event.key === "+" || event.key === "=") zoom(STEP * STEP);
    else if (event.key === "-" || event.key === "_") zoom(1 / (STEP * STEP));
    else if (event.key === "0") act.view(whole(n));
    else if (event.key === "Enter") act.pick({ zone: "cell", row, col });
    else if (event.key === "r") act.pick({ zone: "row", row, col });
    else if (event.key === "c") act.pick({ zone: "column", row: col, col });
    else if (event.key === "n" || event.key === "p") nextCell(map, row, col, event.key === "n", to);
    else if (event.key === "Escape") act.clear();
    else return;
    event.preventDefault();
  });
}

/** Moves to the next cell that is not zero, in the order of reading, or to the one before. */
function nextCell({ grid }, row, col, forward, to) {
  const last = grid.cols.length - 1;
  if (last < 0) return;
  const at = firstFrom(grid.cols, grid.starts[row], grid.starts[row + 1], col);
  const next = forward ? at + (findCell(grid, row, col) >= 0) : at - 1;
  const place = Math.min(last, Math.max(0, next));
  to(grid.rows[place], grid.cols[place]);
}
