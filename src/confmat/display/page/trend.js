// Scores from one matrix to the next: lines with the bands of their intervals, and a dot wherever a score changed by
// more than noise.

import { el, svg, words } from "./dom.js";
import { HOLDS, known, tone } from "./differences.js";
import { minus, score, signed } from "./numbers.js";

/** Units that a line is wide and high in a table and on its own, and what it leaves free at the left and elsewhere. */
const [SMALL, LARGE] = [[120, 26, 4, 4], [300, 120, 40, 16]];

/** A line through values within a band; `steps` are the verdicts from each value to the next. */
function trendLine([wide, high, left, edge], title, keys, values, bands, steps, better) {
  const numbers = (all) => all.filter((value) => Number.isFinite(value));
  const there = numbers(values);
  const ends = bands.map((band) => (band && numbers(band).length === 2 ? band : null));
  const all = [...there, ...ends.flatMap((band) => band ?? [])];
  const [low, most] = [Math.min(...all), Math.max(...all)];
  const x = (i) => (left + (i / Math.max(values.length - 1, 1)) * (wide - left - edge)).toFixed(1);
  const y = (value) => (high - edge - (most > low ? (value - low) / (most - low) : 0.5) * (high - 2 * edge)).toFixed(1);
  const at = (of) => [...values.keys()].filter((i) => Number.isFinite(of(i))).map((i) => `${x(i)},${y(of(i))}`);
  const held = [...values.keys()].slice(1).filter((i) => steps[i - 1] === HOLDS);
  const gap = (i) => values[i] - values[i - 1];
  const changes = held.map((i) => `${keys[i]} ${signed(gap(i), score)}`);
  const marked = held.length ? `more than noise: ${changes.join(", ")}` : "no step is more than noise";
  const told = there.length < 2 ? `${title}: unknown` : `${title}: ${score(Math.min(...there))} to ${score(Math.max(...there))}, ${score(there.at(-1))} at last; ${marked}`;
  const drawing = svg("svg", { class: "spark", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img", "aria-label": told, "data-tip": told },
    svg("polygon", { class: "band", points: [...at((i) => ends[i]?.[0]), ...at((i) => ends[i]?.[1]).reverse()].join(" ") }),
    svg("polyline", { points: at((i) => values[i]).join(" ") }),
    ...held.map((i) => svg("circle", { cx: x(i), cy: y(values[i]), r: 3.4, class: tone(gap(i), better) })));
  if (left > edge && all.length) {
    drawing.append(...[...new Set([low, most])].map((end) => words(left - 6, Number(y(end)) + 4, "end", score(end))),
      words(left, high - 2, "start", keys[0]), words(wide - edge, high - 2, "end", keys.at(-1)));
  }
  return drawing;
}

/** A drawing for each score of the whole. */
export function trends(data) {
  const keys = data.models.map((model) => model.name);
  return el("div", { class: "card charts" }, data.overall.map((metric, at) => {
    const steps = keys.slice(1).map((_, i) => known(data, { base: i, other: i + 1 }).overall(at).said);
    const [values, bands] = [data.models.map((model) => minus(model.overall[at], 0)), data.models.map((model) => model.bounds[at])];
    return el("figure", {}, el("figcaption", {}, el("strong", {}, metric.title)),
      trendLine(LARGE, metric.title, keys, values, bands, steps, metric.better));
  }));
}

/** The column of lines of the F1 of each class. */
export function trendColumn(data) {
  const at = data.metrics.findIndex(({ key }) => key === "f1");
  const keys = data.models.map((model) => model.name);
  const wide = keys.length - 1;
  const steps = (i) => (i < data.classes ? data.tests.trend.subarray(i * wide, (i + 1) * wide) : []);
  return {
    key: "trend",
    title: `F1 over ${data.axis}`,
    tip: "A dot is a change from the one before that is more than noise, all classes and steps held together.",
    cell: (i) => trendLine(SMALL, `F1 of ${data.names[i]}`, keys, data.models.map((model) => model.values[at][i]),
      data.models.map(({ low, high }) => low && [low[i], high[i]]), steps(i), "higher"),
  };
}
