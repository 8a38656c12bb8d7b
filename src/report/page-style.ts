// Tested by test/report/html.test.ts
/** How our pages look: one type scale, one set of colours for light and dark, a column of contents that stays in view, and print. No font is fetched. */

/** Colours by their role. Text on its ground has a contrast of 4.5 at least (WCAG 2.2, 1.4.3), lines and badges 3 (1.4.11). */
const COLOURS = `:root { color-scheme: light dark;
  --ground: #fff; --raised: #f5f6f8; --ink: #16191d; --soft: #57606a; --line: #d4d9df; --link: #0b5cad; --focus: #0b5cad;
  --met: #1a7f37; --missed: #b3261e; --outside: #8a5a00; --none: #57606a; --blue: #0072b2; --orange: #b86e00; --red: #c54a00; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #14171a; --raised: #1d2126; --ink: #e4e7eb; --soft: #a0a9b4; --line: #363d45; --link: #7db7f5; --focus: #7db7f5;
  --met: #57c26f; --missed: #ff8a80; --outside: #e6b450; --none: #a0a9b4; --blue: #4fb0e8; --orange: #f0b03c; --red: #ff8a4c; } }`;

/** Steps of 1.2 from 15 px text. */
const TYPE = `body { font: 15px/1.55 system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; color: var(--ink); background: var(--ground); margin: 0; }
h1 { font-size: 1.73rem; line-height: 1.2; margin: 0 0 0.6em; letter-spacing: -0.01em; }
h2 { font-size: 1.3rem; line-height: 1.25; margin: 2.6em 0 0.5em; padding-top: 0.9em; border-top: 1px solid var(--line); }
h3 { font-size: 1.08rem; margin: 1.6em 0 0.4em; }
p { max-width: 68ch; margin: 0.5em 0; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
code, pre { font: 0.83rem/1.45 ui-monospace, Menlo, Consolas, monospace; }
pre { margin: 0.7em 0; padding: 0.55em 0.8em; background: var(--raised); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }`;

const LAYOUT = `main { box-sizing: border-box; width: 100%; max-width: 96rem; margin: 0 auto; padding: 2rem clamp(1rem, 3vw, 3rem) 4rem; min-width: 0; }
.with-contents { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 112rem; margin: 0 auto; }
.with-contents > nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 2.2rem 0.5rem 2rem 1.5rem; box-sizing: border-box; font-size: 0.87rem; }
.with-contents > nav ul { list-style: none; margin: 0; padding: 0; }
.with-contents > nav li { margin: 0 0 0.55em; line-height: 1.35; }
.with-contents > nav a { text-decoration: none; display: block; }
.with-contents > nav a:hover { text-decoration: underline; }
section { scroll-margin-top: 1rem; }
@media (max-width: 60rem) {
  .with-contents { display: block; }
  .with-contents > nav { position: static; max-height: none; padding: 1rem 1rem 0; }
}`;

const TABLES = `.table { overflow-x: auto; margin: 1em 0; }
table { border-collapse: collapse; font-size: 0.87rem; line-height: 1.4; font-variant-numeric: tabular-nums; min-width: 60%; }
thead th { border-bottom: 2px solid var(--line); color: var(--soft); font-weight: 600; white-space: nowrap; }
th, td { padding: 0.34em 0.9em; text-align: left; vertical-align: top; }
th:first-child, td:first-child { padding-left: 0.2em; }
th.number, td.number { text-align: right; white-space: nowrap; }
tbody tr + tr td { border-top: 1px solid var(--line); }
tbody tr:hover td { background: var(--raised); }
.facts { display: flex; flex-wrap: wrap; gap: 0.7em 2.2em; margin: 1em 0; }
.facts dt { font-size: 0.8rem; color: var(--soft); } .facts dd { margin: 0; font-size: 1.08rem; font-variant-numeric: tabular-nums; }
.badge { display: inline-block; padding: 0 0.55em; border: 1px solid currentColor; border-radius: 1em; font-size: 0.78rem; line-height: 1.6; font-weight: 600; white-space: nowrap; }
.met { color: var(--met); } .missed { color: var(--missed); } .outside { color: var(--outside); } .none { color: var(--none); font-weight: 400; }
summary { cursor: pointer; white-space: nowrap; list-style-position: outside; }
details > p { margin: 0.3em 0 0.2em; max-width: 52ch; }
.counts { display: flex; flex-wrap: wrap; gap: 0.35em; margin: 0.25em 0 0; }`;

/** A drawing has the colours of paper; here its white, black and dark blue become the page's. */
const FIGURES = `.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr)); gap: 0.8rem 1.6rem; align-items: end; max-width: 84rem; }
.group { grid-column: 1 / -1; }
figure { margin: 0.4rem 0; max-width: 52rem; break-inside: avoid; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { font-size: 0.85rem; color: var(--soft); max-width: 60ch; }
.legend { display: flex; flex-wrap: wrap; gap: 0.2em 1.3em; list-style: none; margin: 0.9em 0 0.2em; padding: 0; font-size: 0.85rem; }
.legend svg { vertical-align: -0.15em; margin-right: 0.45em; }
svg [fill='#ffffff'] { fill: var(--ground); }
svg[fill='#000000'], svg [fill='#000000'] { fill: var(--ink); }
svg [stroke='#000000'] { stroke: var(--ink); }
svg [fill='#555555'] { fill: var(--soft); } svg [stroke='#555555'] { stroke: var(--soft); }
svg [fill='#0072b2'] { fill: var(--blue); } svg [stroke='#0072b2'] { stroke: var(--blue); }`;

/** Of scripts: charts by uPlot, whose own style sheet has positions and fonts. */
const LIVE = `.live { min-width: 0; }
.figures:has(.live) { align-items: start; }
.uplot, .uplot *, .uplot *::before, .uplot *::after { box-sizing: border-box; }
.uplot { font: 12px/1.4 system-ui, sans-serif; width: min-content; }
.u-wrap { position: relative; user-select: none; }
.u-over, .u-under, .uplot canvas { position: absolute; }
.uplot canvas { display: block; position: relative; width: 100%; height: 100%; }
.u-axis { position: absolute; }
.u-over { cursor: crosshair; }
.u-under { overflow: hidden; }
.u-legend { margin: 0.3em 0 0; font-size: 0.78rem; min-width: 0; }
.u-inline tbody { display: grid; grid-template-columns: repeat(auto-fill, minmax(13em, 1fr)); } .u-inline, .u-inline tr { display: block; }
.u-legend tr td, .u-legend tr th { padding: 0 0.35em 0 0; border: 0; font-weight: 400; }
.u-legend th > * { display: inline-block; vertical-align: middle; }
.u-legend .u-marker { width: 22px; height: 3px; display: inline-block; vertical-align: middle; margin-right: 0.4em; }
.u-legend .u-off { display: none; }
.u-legend .u-value { font-weight: 600; }
.u-legend tbody tr:hover td { background: none; }
.u-select { background: color-mix(in srgb, var(--link) 18%, transparent); position: absolute; pointer-events: none; }
.u-cursor-x, .u-cursor-y { position: absolute; left: 0; top: 0; pointer-events: none; will-change: transform; }
.u-hz .u-cursor-x { height: 100%; border-right: 1px dashed var(--soft); } .u-hz .u-cursor-y { width: 100%; border-bottom: 1px dashed var(--soft); }
.u-cursor-pt { position: absolute; top: 0; left: 0; border-radius: 50%; border: 0 solid; pointer-events: none; will-change: transform; }
.u-axis.u-off, .u-select.u-off, .u-cursor-x.u-off, .u-cursor-y.u-off, .u-cursor-pt.u-off { display: none; }
.picker { margin: 1.2em 0 0; padding-left: 1em; } .picker summary { font-weight: 600; white-space: normal; }
.picker input[type=search] { width: 100%; box-sizing: border-box; margin: 0.5em 0; padding: 0.25em 0.5em; font: inherit; }
.picker .names { max-height: 40vh; overflow-y: auto; } .picker label { display: block; }`;

const PRINT = `@page { size: A4 landscape; margin: 12mm; }
@media print {
  :root { color-scheme: light; }
  body { font-size: 10pt; }
  main { padding: 0; max-width: none; }
  .with-contents { display: block; }
  .with-contents > nav { position: static; max-height: none; columns: 2; padding: 0; }
  h2, h3 { break-after: avoid; }
  details::details-content { content-visibility: visible; display: block; }
  .table { overflow: visible; }
  table { font-size: 8pt; }
  tr { break-inside: avoid; }
}`;

/** Of a whole page. */
export const PAGE_STYLE = [COLOURS, TYPE, LAYOUT, TABLES, FIGURES, LIVE, PRINT].join('\n');
