// Numbers as text: counts, shares, scores, differences. Pure.

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const WEIGHT = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });

/** A number with `digits` decimals; of two that are as near, the even one, as everywhere in confmat. */
function fixed(value, digits) {
  const text = value.toFixed(digits);
  const odd = Math.abs(value * 2 ** (digits + 1)) % 2 === 1 && text.at(-1) % 2;
  return odd ? (value * (1 - 1e-9)).toFixed(digits) : text;
}

/** A count in digits with separators; a weight with up to six significant digits. */
export function count(value) {
  if (value < 0) return `−${count(-value)}`;
  if (Number.isInteger(value)) return WHOLE.format(value);
  return value < 1e-4 || value >= 1e15 ? value.toPrecision(4) : WEIGHT.format(value);
}

/** A count in few characters: 1.2k, 35k, 4.1M. */
export function brief(value) {
  const size = Math.abs(value);
  if (size < 1000) return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
  for (const [unit, letter] of [[1e3, "k"], [1e6, "M"], [1e9, "G"], [1e12, "T"]]) {
    const scaled = value / unit;
    if (Math.abs(scaled) < 9.95) return `${scaled.toFixed(1)}${letter}`;
    if (Math.abs(scaled) < 999.5) return `${Math.round(scaled)}${letter}`;
  }
  return value.toExponential(1);
}

/** A share as per cent. What is not nothing does not look like nothing, nor what is not everything like all. */
export function share(value) {
  if (Number.isNaN(value)) return "–";
  if (value < 0) return `−${share(-value)}`;
  const hundred = value * 100;
  if (hundred > 0 && hundred < 0.05) return "<0.1%";
  if (hundred < 100 && hundred >= 99.95) return ">99.9%";
  return `${fixed(hundred, hundred === 100 || hundred === 0 ? 0 : 1)}%`;
}

/** A share in the few characters that a cell has room for. */
export function shortShare(value, roomy) {
  const hundred = value * 100;
  if (roomy || hundred === 0 || hundred === 100) return share(value);
  if (hundred < 0) return `−${shortShare(-value, roomy)}`;
  return hundred < 0.5 ? "<1%" : hundred > 99 ? ">99%" : `${fixed(hundred, 0)}%`;
}

/** A score with three digits; a dash where it is undefined. */
export function score(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (Math.abs(value) >= 1e4 || Math.abs(value) === Infinity) return count(value);
  return fixed(value, 3).replace(/^-(0\.0+)$/, "$1").replace("-", "−");
}

/** A value minus another; nothing where they differ by rounding alone, and NaN where one is undefined. */
export function minus(fresh, old) {
  const gap = (fresh ?? NaN) - (old ?? NaN);
  return Math.abs(gap) < Math.abs(fresh) * 2 ** -46 ? 0 : gap;
}

/** A text with its sign, so that a difference is not taken for a value; "less than" says enough without. */
export function signed(value, write) {
  if (value === null || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const text = write(Math.abs(value));
  return text[0] === "<" || text === "0" ? text : `${value > 0 ? "+" : "−"}${text}`;
}

/** A difference of shares in percentage points. */
export function points(value, digits = 1) {
  return signed(value, (size) => fixed(size * 100, digits));
}

/** "1 item", "2 items". */
export function many(value, one, several = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : several}`;
}
