// A sweep: the slider of the threshold, and the curves with its place on them.

import { announce, button, byId, el, name, svg, words } from "./dom.js";
import { twoByTwo } from "./details.js";
import { score } from "./numbers.js";

/** Units that a drawing is wide and high, and where its axes begin and end. */
const [WIDE, HIGH, LEFT, RIGHT, TOP, BOTTOM] = [320, 236, 38, 312, 8, 200];

/** Round numbers within a range, some four of them. Pure. */
export function ticks(low, high) {
  const rough = (high - low || 1) / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find((one) => one * unit >= rough * 0.99) * unit;
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** A line through places; with steps, each height begins at the place before. Pure. */
export function path(places, step) {
  return places.map(([x, y], i) => (!i ? `M${x} ${y}` : step ? `V${y}H${x}` : `L${x} ${y}`)).join("");
}

const line = (kind, d) => svg("path", { class: kind, d });

/** A curve; where it is pointed at, `pick` is given the nearest stop of the slider. */
function chart(curve, data, pick) {
  const { alike } = data.sweep;
  const [x0, x1, y0, y1] = curve.box;
  const over = curve.names[0] === data.axis;
  const along = (value, low, high, from, to) => Number((from + ((value - low) / (high - low || 1)) * (to - from)).toFixed(1));
  const place = (x, y) => [along(x, x0, x1, LEFT, RIGHT), along(y, y0, y1, BOTTOM, TOP)];
  const stops = curve.at.map(([x, y, low, high]) => (x === null || y === null ? null : { x, y, low, high }));
  const sure = stops.filter((one) => one && one.low !== null && one.high !== null);
  const known = curve.x.map((x, i) => [x, curve.y[i]]).filter(([, y]) => y !== null);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" });
  for (const x of ticks(x0, x1)) drawing.append(line("rule", path([place(x, y0), place(x, y1)])), words(place(x, y0)[0], BOTTOM + 14, "middle", x));
  for (const y of ticks(y0, y1)) drawing.append(line("rule", path([place(x0, y), place(x1, y)])), words(LEFT - 5, place(x0, y)[1] + 4, "end", y));
  if (alike.length && over) {
    // Thresholds that these items do not tell from the best one; an infinite one is an end of the axis.
    const [from, to] = [x0, x1].map((end, i) => place(curve.at[alike[i]][0] ?? end, y1)[0]);
    drawing.append(svg("rect", { class: "alike", x: from, y: TOP, width: Math.max(1, to - from), height: BOTTOM - TOP }));
  }
  const around = [...sure.map((one) => place(one.x, one.low)), ...sure.reverse().map((one) => place(one.x, one.high))];
  if (curve.guess) drawing.append(line("guess", path([place(0, curve.guess[0]), place(1, curve.guess[1])])));
  const reach = line("reach", "");
  const mark = svg("circle", { class: "mark", r: 5 });
  const side = words(0, 0, "middle", curve.names[1]);
  side.setAttribute("transform", `translate(9 ${(TOP + BOTTOM) / 2}) rotate(-90)`);
  drawing.append(line("band", path(around)), line("curve", path(known.map((one) => place(...one)), curve.step)), reach, mark, side,
    words((LEFT + RIGHT) / 2, HIGH - 4, "middle", curve.names[0]));
  const nearest = (event) => {
    const box = drawing.getBoundingClientRect();
    const far = stops.map((one) => {
      if (!one) return Infinity;
      const [x, y] = place(one.x, one.y);
      return Math.hypot(((event.clientX - box.left) / box.width) * WIDE - x, over ? 0 : ((event.clientY - box.top) / box.height) * HIGH - y);
    });
    pick(far.indexOf(Math.min(...far)));
  };
  drawing.addEventListener("pointerdown", (event) => {
    drawing.setPointerCapture(event.pointerId);
    nearest(event);
  });
  drawing.addEventListener("pointermove", (event) => event.buttons && nearest(event));
  const reading = el("p", { class: "muted" });
  const show = (stop) => {
    const one = stops[stop];
    const ends = one && one.low !== null && one.high !== null;
    const [x, y] = one ? place(one.x, one.y) : [-9, -9];
    mark.setAttribute("cx", x);
    mark.setAttribute("cy", y);
    reach.setAttribute("d", ends ? path([place(one.x, one.low), place(one.x, one.high)]) : "");
    const where = over || !one ? "" : ` at ${curve.names[0]} ${score(one.x)}`;
    const range = ends ? ` [${score(one.low)}, ${score(one.high)}]` : "";
    reading.textContent = one ? `${curve.names[1]} ${score(one.y)}${range}${where}` : "no value here";
    drawing.setAttribute("aria-label", `${curve.title}: ${reading.textContent}`);
  };
  return [el("figure", {}, el("figcaption", {}, el("strong", {}, curve.title), ` ${curve.about}`), drawing, reading), show];
}

/** The four numbers of the positive class. */
function square(data) {
  const [yes] = data.sweep.two;
  const place = el("div");
  const show = (stop) => place.replaceChildren(twoByTwo(data.models[stop], yes));
  return [el("figure", {}, el("figcaption", {}, el("strong", {}, "Matrix"), " it: ", name(data.labels[yes])), place), show];
}

/** The card of a sweep, below the scores; the slider says which matrix everything else is of. */
export function connectSweep(data, store) {
  const { sweep, models } = data;
  const last = models.length - 1;
  const pick = (show) => store.set({ show });
  const parts = [...(sweep.two ? [square(data)] : []), ...sweep.curves.map((curve) => chart(curve, data, pick))];
  // To the right, the threshold rises.
  const slider = el("input", { type: "range", min: "0", max: `${last}`, "aria-labelledby": "sweep-title", oninput: () => pick(last - slider.valueAsNumber) });
  const where = el("output");
  const best = button(() => pick(sweep.open), sweep.isBest ? "Best" : "Back");
  byId("headline").after(el("section", { class: "card", id: "sweep", "aria-labelledby": "sweep-title" },
    el("div", { class: "card-head" }, el("h2", { id: "sweep-title" }, data.axis), el("p", { class: "muted" }, sweep.about)),
    el("div", { class: "slide" }, slider, where, best), el("div", { class: "charts" }, parts.map(([node]) => node))));
  const show = () => {
    const stop = store.get().show;
    slider.value = `${last - stop}`;
    slider.setAttribute("aria-valuetext", models[stop].name);
    where.textContent = models[stop].name;
    best.disabled = stop === sweep.open;
    for (const [, update] of parts) update(stop);
  };
  store.listen((state) => {
    show();
    announce(`${data.axis} ${models[state.show].name}`);
  }, "show");
  show();
}
