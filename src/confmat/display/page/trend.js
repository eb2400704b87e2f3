// Scores from one matrix to the next, as lines with a dot wherever a score changed by more than noise.

import { el, name, svg } from "./dom.js";
import { HOLDS, known, tone } from "./differences.js";
import { minus, score, signed } from "./numbers.js";

const [WIDTH, HEIGHT, EDGE] = [120, 26, 4];

/** A line through values; `steps` are the verdicts from each value to the next. */
export function sparkline(title, keys, values, steps, better) {
  const there = values.filter((value) => !Number.isNaN(value));
  const [low, high] = [Math.min(...there), Math.max(...there)];
  const x = (i) => EDGE + (i / Math.max(values.length - 1, 1)) * (WIDTH - 2 * EDGE);
  const y = (value) => HEIGHT - EDGE - (high > low ? (value - low) / (high - low) : 0.5) * (HEIGHT - 2 * EDGE);
  const points = values.flatMap((value, i) => (Number.isNaN(value) ? [] : [`${x(i).toFixed(1)},${y(value).toFixed(1)}`]));
  const held = [...values.keys()].slice(1).filter((i) => steps[i - 1] === HOLDS);
  const dots = held.map((i) => {
    const gap = values[i] - values[i - 1];
    return svg("circle", { cx: x(i).toFixed(1), cy: y(values[i]).toFixed(1), r: 3.4, class: tone(gap, better) || "neither" });
  });
  const changes = held.slice(0, 6).map((i) => `${keys[i]} ${signed(values[i] - values[i - 1], score)}`);
  const marked = held.length ? `more than noise: ${changes.join(", ")}${held.length > 6 ? " and more" : ""}` : "no step is more than noise";
  const told = there.length < 2 ? `${title}: unknown` : `${title}: ${score(low)} to ${score(high)}, ${score(there.at(-1))} at last; ${marked}`;
  return svg("svg", { class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": told, "data-tip": told },
    svg("polyline", { points: points.join(" ") }), ...dots);
}

/** The row of lines above the scores of the whole. */
export function trendRow(data) {
  const keys = data.models.map((model) => model.name);
  const lines = data.overall.map((metric, at) => {
    const steps = keys.slice(1).map((_, i) => known(data, i, i + 1).overall(at).said);
    return el("td", { class: "number" }, sparkline(metric.title, keys, data.models.map((model) => minus(model.overall[at], 0)), steps, metric.better));
  });
  return el("tr", { class: "trend" }, el("th", { scope: "row" }, "over ", name(data.axis)), el("td", {}), lines);
}

/** The column of lines of the F1 of each class. */
export function trendColumn(data) {
  const at = data.metrics.findIndex(({ key }) => key === "f1");
  const keys = data.models.map((model) => model.name);
  const wide = keys.length - 1;
  const values = (i) => data.models.map((model) => model.values[at][i]);
  const steps = (i) => (i < data.classes ? data.tests.trend.subarray(i * wide, (i + 1) * wide) : []);
  return {
    key: "trend",
    title: `F1 over ${data.axis}`,
    tip: "A dot is a change from the one before that is more than noise, all classes and steps held together.",
    cell: (i) => sparkline(`F1 of ${data.names[i]}`, keys, values(i), steps(i), "higher"),
  };
}
