// The heat map as a picture: the same drawing with a pen that writes SVG, and its legend below.

import { byId, el } from "./dom.js";
import { HUES } from "./grid.js";

const safe = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** What the map asks of the pen of a canvas, as elements of SVG; `real` measures texts. */
class SvgPen {
  constructor(real) {
    Object.assign(this, { real, parts: [], turned: "", globalAlpha: 1 });
    for (const idle of ["beginPath", "rect", "clip"]) this[idle] = () => 0;
  }

  put(tag, facts, text = "") {
    const all = Object.entries({ ...facts, opacity: this.globalAlpha, transform: this.turned || null });
    const words = all.filter(([, value]) => value !== null)
      .map(([key, value]) => ` ${key}="${safe(typeof value === "number" ? Number(value.toFixed(2)) : value)}"`);
    this.parts.push(`<${tag}${words.join("")}>${safe(text)}</${tag}>`);
  }

  fillRect(x, y, width, height, facts = { fill: this.fillStyle }) {
    this.put("rect", { x, y, width, height, ...facts });
  }

  strokeRect(...box) {
    this.fillRect(...box, { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth });
  }

  fillText(text, x, y, most = Infinity) {
    this.put("text", { x, y, dy: { middle: "0.35em", top: "0.8em" }[this.textBaseline] ?? null, fill: this.fillStyle, style: `font:${this.font}`,
      "text-anchor": { center: "middle", right: "end" }[this.textAlign] ?? "start",
      textLength: this.measureText(text).width > most ? most : null, lengthAdjust: "spacingAndGlyphs" }, text);
  }

  measureText(text) {
    this.real.font = this.font;
    return this.real.measureText(text);
  }

  translate(x, y) {
    this.turned += `translate(${x} ${y})`;
  }

  rotate(angle) {
    this.turned += `rotate(${(angle * 180) / Math.PI})`;
  }

  save() {
    this.kept = [this.turned, this.globalAlpha];
  }

  restore() {
    [this.turned, this.globalAlpha] = this.kept;
  }

  image(canvas, x, y, width, height) {
    this.put("image", { href: canvas.toDataURL(), x, y, width, height, preserveAspectRatio: "none" });
  }
}

/** The map as it is seen, with a title above and the legend below. */
export function mapSvg(map, title) {
  const pen = new SvgPen(map.pen);
  const { layout: { left, top, side, width, height }, colours, image, view, grid, codes, palette } = map;
  const scale = side / view.span;
  const pixels = el("canvas", { width: image.width, height: image.height });
  pixels.getContext("2d").putImageData(image, 0, 0);
  pen.image(pixels, left, top, side, side);
  // Cells of some size are rectangles, which can be edited; they and their texts end where the map ends.
  if (scale > 4) {
    codes.forEach((code, i) => {
      const [x, y] = [(grid.cols[i] - view.x) * scale, (grid.rows[i] - view.y) * scale];
      if (code >> 8 < HUES.length && Math.min(x, y) > -scale && Math.max(x, y) < side) {
        pen.fillStyle = `rgb(${palette.ramps[HUES[code >> 8]][code & 255]})`;
        pen.fillRect(left + x, top + y, scale, scale);
      }
    });
  }
  const frame = () => {
    pen.fillStyle = colours.card;
    for (const box of [[-99, -99, left + 99, 9999], [left + side, -99, 999, 9999], [-99, -99, 9999, top + 99], [-99, top + side, 9999, 999]]) pen.fillRect(...box);
  };
  map.drawOver(Object.create(map, { pen: { value: pen } }), frame);
  const font = pen.font.replace(/.*px/, "12px");
  const write = (text, x, y, textAlign) => {
    Object.assign(pen, { fillStyle: colours.ink, font, textAlign, textBaseline: "middle" });
    pen.fillText(text, x, y);
  };
  write(title, 0, -16, "left");
  const scales = [...document.querySelectorAll("#legend .scale")];
  const start = 20 + Math.max(...scales.map(({ firstChild: { textContent } }) => pen.measureText(textContent).width));
  scales.forEach(({ children: [text, strip], lastChild }, at) => {
    const y = height + 10 + 32 * at;
    write(text.textContent, 0, y, "left");
    const ramp = strip.querySelector("canvas");
    if (ramp) pen.image(ramp, start, y - 5, 160, 10);
    else Object.assign(pen, { strokeStyle: colours.faint, lineWidth: 1 }).strokeRect(start, y - 5, 22, 10);
    if (lastChild !== strip) write(lastChild.textContent, start + 164, y, "left");
    for (const tick of strip.querySelectorAll(".tick")) write(tick.textContent, start + 1.6 * parseFloat(tick.style.left), y + 14, "center");
  });
  const size = [width + 24, height + 36 + 32 * scales.length];
  return `<svg xmlns="${byId("svg").namespaceURI}" width="${size[0]}" height="${size[1]}" viewBox="-12 -30 ${size.join(" ")}">`
    + `<title>${safe(title)}</title>${pen.parts.join("")}</svg>`;
}

/** A picture of SVG in pixels, three for one. */
export async function asPng(svg) {
  const image = el("img", { src: URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })) });
  await image.decode();
  const canvas = el("canvas", { width: image.width * 3, height: image.height * 3 });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done));
}
