// Tested by test/report/html.test.ts
/** The page that shows a process while it runs; its script (web/live.page.ts) fills it. */
import { page } from './html.js';

const STYLE = `.live-head { display: flex; flex-wrap: wrap; gap: 0.6em 1.2em; align-items: baseline; }
.live-head h1 { margin: 0; font-size: 1.3rem; overflow-wrap: anywhere; min-width: 0; }
.state::before { content: ''; display: inline-block; width: 0.65em; height: 0.65em; border-radius: 50%; margin-right: 0.45em; background: currentColor; }
.board { display: grid; grid-template-columns: minmax(0, 1fr) 20rem; gap: 1.5rem 2.2rem; align-items: start; margin-top: 1.2rem; }
.board > * { min-width: 0; }
.board h2, .wide h2 { margin-top: 0; border: 0; padding: 0; font-size: 1.08rem; }
.wide { margin-top: 2rem; padding-top: 1.2rem; border-top: 1px solid var(--line); }
.topology { display: block; width: 100%; height: auto; max-height: 26rem; }
.topology text { font: 12px system-ui, sans-serif; fill: var(--ink); text-anchor: middle; dominant-baseline: middle; }
.topology .node rect, .topology .node circle { fill: var(--raised); stroke: var(--soft); stroke-width: 1.2; }
.topology .away { opacity: 0.45; }
.topology .road { stroke: var(--line); fill: none; }
.topology .load { fill: none; stroke-linecap: butt; stroke-dasharray: 7 6; animation: flow 1s linear infinite; }
.topology .down .road { stroke: var(--missed); stroke-dasharray: 2 5; }
.topology a:hover .road, .topology a:focus-visible .road { stroke: var(--focus); }
.topology .chosen .road { stroke: var(--soft); }
@keyframes flow { to { stroke-dashoffset: -13; } }
@media (prefers-reduced-motion: reduce) { .topology .load { animation: none; } }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1.2rem 1.8rem; }
.card { min-width: 0; } .card h3 { margin: 0 0 0.2em; }
.control { margin: 0 0 0.9em; } .control label { display: flex; justify-content: space-between; gap: 1em; font-size: 0.87rem; }
.control output { font-variant-numeric: tabular-nums; font-weight: 600; }
.control input[type=range] { width: 100%; margin: 0.25em 0 0; accent-color: var(--link); }
.control select { font: inherit; width: 100%; box-sizing: border-box; padding: 0.25em; }
button { font: inherit; font-size: 0.9rem; padding: 0.3em 0.9em; border: 1px solid var(--line); border-radius: 6px; background: var(--raised); color: var(--ink); cursor: pointer; }
button:hover { border-color: var(--soft); } button:disabled, input:disabled, select:disabled { opacity: 0.5; cursor: default; }
.notes { font-size: 0.87rem; padding-left: 1.8em; margin: 0.4em 0; max-height: 14rem; overflow-y: auto; } .notes:empty { display: none; }
.problem { color: var(--missed); font-size: 0.87rem; min-height: 1.4em; }
.hint { color: var(--soft); font-size: 0.87rem; }
.board td:first-child, .wide td:first-child { white-space: nowrap; } .wide .picker { margin: 0 0 0.8em 1.1em; }
#flows td:last-child { min-width: 20rem; }
@media (max-width: 60rem) { .board { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 30rem) { main { padding: 1rem 0.8rem 2rem; } th, td { padding: 0.3em 0.5em; } }`;

const BODY = `<div class="live-head"><strong class="state none" role="status">connecting</strong></div>
<dl class="facts" id="facts"></dl>
<div class="board">
<section aria-labelledby="network-title"><h2 id="network-title">Network</h2><div id="network"></div></section>
<section aria-labelledby="controls-title"><h2 id="controls-title">Change</h2><div id="controls"></div><p class="problem" role="alert"></p>
<h2 id="notes-title">Changes</h2><p class="hint" id="no-notes">None so far.</p><ol class="notes" aria-labelledby="notes-title"></ol></section>
</div>
<section class="wide" aria-labelledby="flows-title"><h2 id="flows-title">Flows</h2><div id="pick-flows"></div><div class="cards" id="flow-charts"></div><div id="flows"></div></section>
<section class="wide" aria-labelledby="ports-title"><h2 id="ports-title">Ports</h2><div id="pick-ports"></div><div class="cards" id="port-charts"></div><div id="ports"></div></section>
<noscript><p>This page needs its script, which comes with it.</p></noscript>`;

export function livePage(title: string, script: string): string {
  return page(title, BODY, { script, style: STYLE, isServed: true });
}
