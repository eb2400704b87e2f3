// Colours: ramps whose steps look even, and how strongly a value is shaded. Pure.
//
// Hits and errors have hues of their own (blue and orange, which the common forms of colour blindness keep apart)
// and scales of their own, so that a large diagonal does not wash out the errors beside it. Ramps begin with the paper
// of zero; they and the rule of the shades are those of every drawing of confmat.

export const RAMPS = {
  light: {
    hit: ["#f6f8fa", "#cfe1f2", "#93c1e3", "#4a94cb", "#1a66a6", "#0b3d73"],
    error: ["#f6f8fa", "#fde6d2", "#fbc79d", "#f39a5c", "#e2621a", "#b94a06"],
    quiet: ["#f5ebe1", "#f5ebe1"],
    neutral: ["#f6f8fa", "#dfe3e8", "#c2c9d1", "#a0a9b4", "#7d8793", "#5d6773"],
    // Of what is not there: never found, or found where nothing is.
    missed: ["#f6f8fa", "#ebccd0", "#d797a3", "#b85f74", "#8b2d4c", "#5a1026"],
    ghost: ["#f6f8fa", "#eae1f8", "#d8c6f2", "#c4a8ee", "#b089ea", "#9a68e6"],
    difference: ["#a64a04", "#f2ac66", "#eceef1", "#6aa3d8", "#0b4a8a"],
  },
  dark: {
    hit: ["#1c2128", "#173a5c", "#1b5a91", "#3181c4", "#62aae6", "#a6d3f8"],
    error: ["#1c2128", "#3d2614", "#6b3a12", "#a05218", "#d17428", "#f0923f"],
    neutral: ["#1c2128", "#30363f", "#474f59", "#626b76", "#818b97", "#a8b1bc"],
    quiet: ["#262523", "#262523"],
    missed: ["#1c2128", "#39222a", "#562630", "#722a39", "#8d2e41", "#a8324a"],
    ghost: ["#1c2128", "#302a4a", "#46386f", "#5d4695", "#7355ba", "#8a63e0"],
    difference: ["#ffc98e", "#b9651a", "#20262e", "#2f76bd", "#a6d1ff"],
  },
};

/** [r, g, b] of "#rrggbb". */
export function rgbOf(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

const toLinear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
const fromLinear = (c) => Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));

/** OKLab of an sRGB colour: B. Ottosson, "A perceptual color space for image processing", 2020. */
export function oklab(rgb) {
  const [r, g, b] = rgb.map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** The sRGB colour of OKLab. */
export function fromOklab([lightness, a, b]) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((c) => fromLinear(Math.min(1, Math.max(0, c))));
}

/** 256 steps through some colours, evenly in OKLab: [r, g, b] each. */
export function ramp(hexes) {
  const stops = hexes.map((hex) => oklab(rgbOf(hex)));
  return Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (stops.length - 1);
    const k = Math.min(Math.floor(at), stops.length - 2);
    return fromOklab(stops[k].map((c, j) => c + (stops[k + 1][j] - c) * (at - k)));
  });
}

/** A colour as the 32 bits that the pixels of a canvas have (alpha, blue, green, red). */
export function pixel([r, g, b]) {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/** Relative luminance as WCAG 2 defines it. */
export function luminance(rgb) {
  const [r, g, b] = rgb.map(toLinear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever reads better on a colour. */
export function inkOn(rgb) {
  return luminance(rgb) > 0.179 ? "#000000" : "#ffffff";
}

/** All ramps of a theme, as colours and as pixels. */
export function palette(theme) {
  const ramps = Object.fromEntries(Object.entries(RAMPS[theme]).map(([name, stops]) => [name, ramp(stops)]));
  const pixels = Object.fromEntries(
    Object.entries(ramps).map(([name, steps]) => [name, Uint32Array.from(steps, pixel)]),
  );
  return { paper: pixels.hit[0], ramps, pixels };
}

/** How strongly a positive value is shaded, 0 to 1: by its root, so that one error in a hundred is still seen. */
const strength = (value, most) => 0.06 + 0.94 * Math.sqrt(Math.min(1, value / most));

/** How strongly a value is shaded, 0 to 255. */
export function shade(value, most) {
  return most > 0 && value > 0 ? Math.round(255 * strength(value, most)) : 0;
}

/** Round values of a scale: nothing, near a tenth of the largest, and the largest; of counts, whole ones. */
export function ticks(most, whole) {
  const power = 10 ** Math.floor(Math.log10(most / 10));
  const round = [5, 2, 1].find((digit) => digit * power <= (most / 10) * (1 + 1e-12)) * power;
  return [0, ...(round >= 1 || !whole ? [round] : []), most];
}

/** How strongly a difference is shaded, 0 to 255; no difference is 127.5, the middle. */
export function shadeOfDifference(value, most) {
  if (!(most > 0) || !value) return 128;
  return Math.round(127.5 + 127.5 * Math.sign(value) * strength(Math.abs(value), most));
}
