// Differences of two models, new minus old: what may be said of them, and how that looks. Only a difference that is
// shown to hold is filled and has the hue of better or worse; any other is hollow and grey.

import { el, name } from "./dom.js";
import { score, signed } from "./numbers.js";

/** Codes of verdicts, as the program gives them. */
export const ALIKE = 1;
export const HOLDS = 3;
const WORDS = ["not tested", "may be nothing", "undecided: the answers of both are needed", "shown to differ"];
const NOTHING = { low: NaN, high: NaN, said: 0 };

/** Whether the matrices follow each other, and each is compared with the one before it. */
export const follows = (data) => Boolean(data.tests?.successive);

/** A verdict in words. */
export const words = ({ said }) => WORDS[said];

/** What is known of two models by their places; the other way round, every difference changes its sign. */
export function known(data, { base, other }) {
  const pairs = data.tests?.pairs ?? [];
  const found = pairs.find(({ pair }) => pair[0] === base && pair[1] === other);
  const test = found ?? pairs.find(({ pair }) => pair[0] === other && pair[1] === base);
  const turned = (low, high, said) => (found ? { low, high, said } : { low: -high, high: -low, said });
  const plain = (value) => value ?? NaN;
  return {
    test,
    turned: !found,
    overall(at) {
      const [low, high, said] = test?.overall[at] ?? [NaN, NaN, 0];
      return turned(plain(low), plain(high), said);
    },
    /** The difference of a metric of a class; groups are not tested. */
    ofClass(metric, index) {
      const which = data.tests?.metrics.indexOf(metric) ?? -1;
      if (!test?.classes || which < 0 || index >= data.classes) return NOTHING;
      const at = which * data.classes + index;
      return turned(test.classes.low[at], test.classes.high[at], test.classes.said[at]);
    },
    ofCell: (row, col) => (test?.cells ? (test.cells.get(row * data.labels.length + col) ?? ALIKE) : 0),
  };
}

/** Whether a difference is good news. Pure. */
export function tone(gap, better) {
  if (!gap || Number.isNaN(gap) || better === "neither") return "";
  return gap > 0 === (better === "higher") ? "better" : "worse";
}

/** A difference with its sign, in the hue of its meaning where it holds. */
export function gapOf(gap, better, said, write = score) {
  const none = Number.isNaN(gap);
  const kind = none ? "none" : said === HOLDS ? `holds ${tone(gap, better)}` : said ? "open" : "none";
  return el("span", { class: `gap ${kind}` }, signed(gap, write));
}

/** The interval of a difference, if there is one. */
const rangeOf = ({ low, high }) => (Number.isNaN(low) || Number.isNaN(high) ? "" : `${signed(low, score)} … ${signed(high, score)}`);

/** A difference, and below it the interval and a word on what that shows. */
export function gapAndRange(gap, better, found, isBrief = false) {
  const said = found.said === HOLDS || (isBrief && found.said === ALIKE) ? "" : words(found).split(":")[0];
  const below = Number.isNaN(gap) ? "" : [rangeOf(found), said].filter(Boolean).join(", ");
  return [gapOf(gap, better, found.said), el("span", { class: "both" }, below)];
}

/** The heading of a difference: new − old. */
export const heading = (old, fresh) => [name(fresh.name), " − ", name(old.name)];
