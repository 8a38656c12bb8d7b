import { createHash } from 'node:crypto';
import type { TableData } from '../telemetry/columns.js';
import { PAGE_STYLE } from './page-style.js';

/** Pages that stand alone: nothing from elsewhere, no script but ours, and no text that could become either. */

/** Text inside an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** A paragraph of plain text. */
export function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

export function htmlTable({ columns, rows }: TableData): string {
  const classes = columns.map(({ align }) => (align === 'right' ? ' class="number"' : ''));
  const head = columns.map(({ title }, at) => `<th${classes[at]}>${escapeHtml(title)}</th>`).join('');
  const body = rows.map(
    (row) => `<tr>${row.map((cell, at) => `<td${classes[at]}>${escapeHtml(cell)}</td>`).join('')}</tr>`,
  );
  return `<div class="table"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table></div>`;
}

/** A table of one row as names with their values. */
export function facts({ columns, rows }: TableData): string {
  const entries = columns.map(
    ({ title }, at) => `<div><dt>${escapeHtml(title)}</dt><dd>${escapeHtml(rows[0][at])}</dd></div>`,
  );
  return `<dl class="facts">\n${entries.join('\n')}\n</dl>`;
}

/** A drawing of ours (plot/draw.ts) with text below it. */
export function figure(svg: string, caption: string): string {
  return `<figure>\n${svg}\n<figcaption>${escapeHtml(caption)}</figcaption>\n</figure>`;
}

export interface PageParts {
  /** HTML beside the page, in view while it moves. */
  readonly contents?: string | undefined;
  readonly script?: string | undefined;
}

/** `body` is HTML. The policy forbids what the page does not need: of scripts it lets this one run, so that a mistake of ours stays text. */
export function page(title: string, body: string, { contents = '', script = '' }: PageParts = {}): string {
  const main = `<main>\n<h1>${escapeHtml(title)}</h1>\n${body}\n</main>`;
  const whole =
    contents === ''
      ? main
      : `<div class="with-contents">\n<nav aria-label="Contents">\n${contents}\n</nav>\n${main}\n</div>`;
  const code = script.replaceAll('</script', '<\\/script');
  const scripts = code === '' ? '' : ` script-src 'sha256-${createHash('sha256').update(code).digest('base64')}';`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';${scripts} style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
${PAGE_STYLE}
</style>
</head>
<body>
${whole}
${code === '' ? '' : `<script>${code}</script>\n`}</body>
</html>
`;
}
