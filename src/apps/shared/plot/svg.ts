/**
 * What echarts writes, made the same for the same chart whatever was drawn before: it numbers its classes and clip paths through the whole process. Also
 * leaves out what only a page with scripts needs, and digits below a hundredth of a pixel.
 */
import { crc32 } from '../../../base/crc32.js';

/** Attributes with numbers in px; the text of labels is in none of them. */
const NUMBERS = /\b(d|points|transform|x|y|width|height|stroke-width)="([^"]*)"/g;

/** `title` is what a screen reader says. */
export function plainSvg(svg: string, title: string): string {
  const plain = svg
    .replace(/<style >[\s\S]*?<\/style>\n?/g, '')
    .replace(/ (class|ecmeta_[a-z_]+|pointer-events|xml:space|xmlns:xlink|version|baseProfile)="[^"]*"/g, '')
    .replace(NUMBERS, (_, name: string, value: string) => `${name}="${rounded(value)}"`)
    .replace(/^<svg /, `<svg role="img" aria-label="${escaped(title)}" `);
  return withOwnIds(plain);
}

function rounded(value: string): string {
  return value.replace(/-?\d+\.\d{3,}(e-?\d+)?/g, (number) => String(Math.round(Number(number) * 100) / 100));
}

/** Ids are of the whole page where SVGs stand inside one: they begin with a sum of the drawing itself. */
function withOwnIds(svg: string): string {
  const anonymous = svg.replace(/\bzr\d+-c(\d+)\b/g, 'clip$1');
  const bytes = new TextEncoder().encode(anonymous);
  const sum = crc32(bytes, 0, bytes.length).toString(16).padStart(8, '0');
  return svg.replace(/(id="|url\(#)zr\d+-c(\d+)\b/g, (_, before: string, at: string) => `${before}p${sum}-${at}`);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
