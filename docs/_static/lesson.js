// The figure of the lesson: the four counts of a matrix, moved by hand or by a threshold, and the scores with their intervals.
// Bounds are those of confmat.interval (src/confmat/intervals/bounds.py), and a test compares them. Without this script the page has a table.
"use strict";
{
  // The scores of 100 sick and 900 well people, in twenty steps from 0 to 1.
  const SICK = [0, 0, 0, 1, 1, 2, 3, 5, 7, 9, 10, 12, 12, 10, 9, 7, 5, 3, 2, 2];
  const WELL = [14, 21, 40, 68, 99, 126, 137, 129, 106, 74, 45, 24, 11, 4, 1, 1, 0, 0, 0, 0];
  const READY = {
    "always says well": [0, 10, 0, 990],
    "always says sick": [10, 0, 990, 0],
    "a good test, one in a hundred sick": [9, 1, 50, 940],
    "the same test, half of them sick": [450, 50, 25, 475],
    "ten people": [4, 1, 1, 4],
  };
  const SQUARE = 1.959963984540054 ** 2;
  // The means above which 1, 2 or 3 events of Poisson's distribution are seen in one of twenty cases.
  const POISSON = [0.05129329438755053, 0.35536151069866195, 0.8176914471639534];

  const sum = (counts) => counts.reduce((one, other) => one + other, 0);
  // Wilson's interval of a share, with a Poisson bound next to 0 and 1.
  const share = (hits, of) => {
    const near = (k) => of >= 10 && k >= 1 && k <= (of > 50 ? 3 : 2);
    const p = hits / of, misses = of - hits, tail = SQUARE / of;
    const centre = (p + tail / 2) / (1 + tail);
    const half = Math.sqrt(p * (1 - p) * tail + (tail * tail) / 4) / (1 + tail);
    return [
      p,
      near(hits) ? POISSON[hits - 1] / of : hits ? centre - half : 0 * p,
      near(misses) ? 1 - POISSON[misses - 1] / of : misses ? centre + half : 1 + 0 * p,
    ];
  };
  const parts = ([tp, fn, fp, tn]) => ({
    accuracy: [tp + tn, tp + fn + fp + tn],
    recall: [tp, tp + fn],
    specificity: [tn, tn + fp],
    precision: [tp, tp + fp],
    // F1 is 2j / (1 + j) of the share j of hits among hits and errors, and so are its bounds.
    f1: [tp, tp + fp + fn],
  });
  const estimates = (counts) => {
    const found = Object.fromEntries(Object.entries(parts(counts)).map(([name, each]) => [name, share(...each)]));
    found.f1 = found.f1.map((j) => (2 * j) / (1 + j));
    return found;
  };
  // As Python writes it: a tie, which only sixteenths can be, goes to the even digit.
  const said = (x) => (Number.isNaN(x) ? "–" : (((x * 16) % 4 === 1 ? x - 1e-9 : x)).toFixed(3));
  const whole = (n) => n.toLocaleString("en");

  const make = (tag, facts, ...inside) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(facts)) node.setAttribute(name, value);
    node.append(...inside);
    return node;
  };

  const figure = document.querySelector("[data-lesson]");
  const cells = [...figure.querySelectorAll("[data-cell]")];
  const inputs = cells.map((cell) => {
    const input = make("input", { type: "number", min: 0, max: 1e6, step: 1, inputmode: "numeric", "aria-label": cell.dataset.cell });
    const old = cell.querySelector("b");
    input.value = old.textContent.replace(",", "");
    old.replaceWith(input);
    return input;
  });
  const counts = () => inputs.map((input) => Math.min(1e6, Math.max(0, Math.round(input.valueAsNumber || 0))));

  const slider = make("input", { type: "range", min: 0, max: 20, step: 1, id: "lesson-threshold" });
  const at = make("output", { for: "lesson-threshold" });
  const bars = [SICK, WELL].flatMap((people, side) =>
    people.map((n, i) => {
      const height = (n / Math.max(...people)) * 46;
      return Object.assign(make("span", { class: side ? "well" : "sick" }), { step: i, style: `left:${i * 5}%;height:${height}px` });
    }),
  );
  const drawing = make("div", { class: "people", "aria-hidden": "true" }, make("i", {}, "the sick"), make("i", {}, "the well"), ...bars);
  const choices = Object.entries(READY).map(([name, ready]) => {
    const button = make("button", { type: "button" }, name);
    button.addEventListener("click", () => put(ready));
    return button;
  });
  figure.querySelector("[data-controls]").append(
    make("p", {}, make("label", { for: "lesson-threshold" }, "Call sick from a score of "), at),
    drawing,
    make("p", {}, slider),
    make("p", { class: "ready", role: "group", "aria-label": "Examples" }, ...choices),
  );
  const sentence = make("p", { role: "status" });
  figure.querySelector("[data-scores]").before(sentence);

  let spoken;
  const show = () => {
    const now = counts(), [tp, fn, fp, tn] = now, all = parts(now);
    for (const [name, [value, low, high]] of Object.entries(estimates(now))) {
      const row = figure.querySelector(`[data-score=${name}]`);
      const [hits, of] = name === "f1" ? [2 * tp, 2 * tp + fp + fn] : all[name];
      const texts = [`${whole(hits)} of ${whole(of)}`, said(value), Number.isNaN(low) ? "–" : `[${said(low)}, ${said(high)}]`];
      texts.forEach((text, i) => { row.cells[i + 1].textContent = text; });
      Object.assign(row.dataset, { value, low, high });
      row.style.setProperty("--low", low || 0);
      row.style.setProperty("--reach", high - low || 0);
      row.style.setProperty("--at", Number.isNaN(value) ? -1 : value);
    }
    const constant = Math.max(tp + fn, fp + tn) / (sum(now) || NaN);
    clearTimeout(spoken);
    // A screen reader speaks when the hand rests.
    spoken = setTimeout(() => {
      sentence.textContent =
        `${whole(tp)} of ${whole(tp + fn)} sick are found; ${whole(tp)} of ${whole(tp + fp)} called sick are sick. ` +
        `Accuracy is ${said(estimates(now).accuracy[0])}; one answer for everybody would have ${said(constant)}.`;
    }, 300);
  };
  const mark = (step) => {
    at.textContent = step === null ? "… (these counts are set by hand)" : (step / 20).toFixed(2);
    drawing.classList.toggle("apart", step === null);
    for (const bar of bars) bar.classList.toggle("called", bar.step >= slider.valueAsNumber);
  };
  const put = (ready, step = null) => {
    ready.forEach((n, i) => { inputs[i].value = n; });
    mark(step);
    show();
  };
  const cut = () => {
    const step = slider.valueAsNumber, found = sum(SICK.slice(step)), alarms = sum(WELL.slice(step));
    put([found, 100 - found, alarms, 900 - alarms], step);
    slider.setAttribute("aria-valuetext", `${(step / 20).toFixed(2)}: ${found + alarms} called sick`);
  };
  slider.addEventListener("input", cut);
  for (const input of inputs) input.addEventListener("input", () => { mark(null); show(); });
  slider.value = 10;
  cut();
}
