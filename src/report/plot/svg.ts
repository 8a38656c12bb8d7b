// Tested by test/report/plot/draw.test.ts
/** SVG as text. There are no ids in it, so several drawings can stand in one page. */
import { escapeHtml } from '../html.js';

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Numbers are px, written to a hundredth; an attribute that is undefined is left out. */
export function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const start = Object.entries(attributes).reduce((tag, [key, value]) => tag + written(key, value), `<${name}`);
  return children.length === 0 ? `${start}/>` : `${start}>\n${children.join('\n')}\n</${name}>`;
}

export function textElement(text: string, x: number, y: number, attributes: Attributes = {}): string {
  const start = Object.entries({ x, y, ...attributes }).reduce(
    (tag, [key, value]) => tag + written(key, value),
    '<text',
  );
  return `${start}>${escapeHtml(text)}</text>`;
}

function written(key: string, value: string | number | undefined): string {
  if (value === undefined) return '';
  return ` ${key}="${escapeHtml(typeof value === 'number' ? String(rounded(value)) : value)}"`;
}

export function rounded(px: number): number {
  return Math.round(px * 100) / 100;
}
