import type { TableData } from '../telemetry/columns.js';

/** Pages that stand alone: no script, nothing from elsewhere, and no text that could become either. */

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

/** A drawing of ours (plot/draw.ts) with text below it. */
export function figure(svg: string, caption: string): string {
  return `<figure>\n${svg}\n<figcaption>${escapeHtml(caption)}</figcaption>\n</figure>`;
}

/** `body` is HTML. The policy forbids what the page does not need, so that a mistake of ours stays text. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
${STYLE}
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${body}
</body>
</html>
`;
}

const STYLE = `body { max-width: 82rem; margin: 2rem auto; padding: 0 1rem; color: #111; background: #fff;
  font: 16px/1.5 Georgia, 'Times New Roman', serif; }
h1, h2, h3, th, td, figcaption, nav { font-family: Helvetica, Arial, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.25; }
h2 { font-size: 1.3rem; margin: 2.2em 0 0.4em; border-bottom: 1px solid #bbb; }
h3 { font-size: 1.05rem; margin: 1.4em 0 0.3em; }
p { max-width: 46rem; margin: 0.5em 0; }
code, pre { font: 0.85em/1.4 Menlo, Consolas, monospace; }
pre { margin: 0.5em 0; padding: 0.5em 0.8em; background: #f3f3f3; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.table { overflow-x: auto; margin: 0.8em 0; }
table { border-collapse: collapse; font-size: 0.82rem; line-height: 1.35; font-variant-numeric: tabular-nums; }
thead { border-bottom: 1.5px solid #111; }
tbody { border-bottom: 1px solid #111; }
th, td { padding: 0.25em 0.8em; text-align: left; vertical-align: top; }
th:first-child, td:first-child { padding-left: 0.2em; white-space: nowrap; }
th.number, td.number { text-align: right; white-space: nowrap; }
tbody tr + tr td { border-top: 1px solid #e4e4e4; }
.figures { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; }
figure { margin: 0.5rem 0; max-width: 640px; flex: 0 1 640px; break-inside: avoid; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { font-size: 0.82rem; color: #333; }
@page { size: A4 landscape; margin: 12mm; }
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 10pt; }
  h2, h3 { break-after: avoid; }
  .table { overflow: visible; }
  table { font-size: 8pt; }
  tr { break-inside: avoid; }
  figure { flex-basis: 48%; }
}`;
