/** The playground's page: one file with its scripts inside, so that it runs where it is opened from a disk, too. */
import { createHash } from 'node:crypto';
import { escapeHtml } from '../../src/report/html.js';
import { sitePage } from './layout.js';

export interface PlaygroundParts {
  /** Texts of dist/web/playground/playground.js and simulator.js. */
  readonly script: string;
  readonly simulator: string;
  /** Offered in the menu; the first is there at once. */
  readonly scenarios: readonly { readonly path: string; readonly source: string }[];
}

const STYLE = `main.play { padding-top: 1.4rem; }
.play h2 { border: 0; padding: 0; margin: 0 0 0.5em; }
.desk { display: grid; grid-template-columns: minmax(0, 26rem) minmax(0, 1fr); gap: 1.2rem 2rem; align-items: start; }
.desk > * { min-width: 0; }
@media (max-width: 62rem) { .desk { grid-template-columns: minmax(0, 1fr); } }
.play button, .play select, .play input, .play textarea { font: inherit; color: var(--ink); background: var(--ground); border: 1px solid var(--soft); border-radius: 6px; box-sizing: border-box; }
.play button { padding: 0.3em 0.9em; cursor: pointer; } .play button:hover:enabled { background: var(--raised); }
.play button:disabled { color: var(--soft); border-color: var(--line); cursor: default; }
.play button.main { background: var(--link); border-color: var(--link); color: var(--ground); font-weight: 600; }
.play button.main:hover:enabled { background: var(--ink); border-color: var(--ink); }
.play button.main:disabled { background: var(--raised); border-color: var(--line); color: var(--soft); }
.play input, .play select { padding: 0.22em 0.5em; width: 100%; min-width: 0; }
.play ::placeholder { color: var(--soft); opacity: 1; }
.bar { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin: 0 0 0.8rem; }
.bar label { display: flex; align-items: center; gap: 0.5em; }
.play fieldset { border: 0; border-top: 1px solid var(--line); margin: 0 0 0.7rem; padding: 0.2rem 0 0; min-width: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); gap: 0.45rem 0.9rem; }
.play legend { font-weight: 600; padding: 0 0.5em 0 0; font-size: 0.87rem; }
.play fieldset label { font-size: 0.8rem; color: var(--soft); min-width: 0; } .play fieldset label span { display: block; }
.play fieldset:disabled { opacity: 0.5; }
.play textarea { width: 100%; height: 19rem; padding: 0.6em 0.8em; font: 0.83rem/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre; overflow: auto; resize: vertical; }
.play textarea[aria-invalid=true] { border-color: var(--missed); }
#problem { color: var(--missed); margin: 0.5em 0; overflow-wrap: anywhere; max-width: none; }
#problem button { font-size: 0.87rem; padding: 0.1em 0.6em; }
.play .quiet { color: var(--soft); font-size: 0.87rem; margin: 0.4em 0; }
.play progress { width: 12rem; max-width: 100%; accent-color: var(--link); }
#speed { font-variant-numeric: tabular-nums; }
.run { margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--line); }
#charts { grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); max-width: none; align-items: start; }
#pickers { display: flex; flex-wrap: wrap; gap: 0.4rem 2rem; } #pickers .picker { min-width: min(100%, 18rem); margin: 0.4em 0 0.4em 1.1em; }
.play td:first-child { white-space: nowrap; }
.intro { margin: 0 0 1rem; }`;

const INTRO = `Hosts, switches and links in virtual time, by the code that runs behind sockets. Change the form or the text, press Start,
and watch queues and shares. Nothing is installed and nothing leaves this page; the same seed gives the result of the command below to the last bit.`;

export function playgroundPage({ script, simulator, scenarios }: PlaygroundParts): string {
  const main = `<main class="play">
<h1>Playground</h1>
<p class="intro">${INTRO}</p>
<div class="desk">
<section aria-labelledby="form-title">
<h2 id="form-title">Scenario</h2>
<p class="bar"><label>Example <select id="examples"><option value="">choose</option></select></label></p>
<form id="fields"></form>
</section>
<section aria-labelledby="text-title">
<h2 id="text-title">As text</h2>
<div class="bar">
<label>File <input id="path" value="scenario.yaml" autocomplete="off" spellcheck="false"></label>
<button type="button" id="load">Load</button><input type="file" id="file" accept=".yaml,.yml,.json" hidden>
<button type="button" id="save">Save</button>
<button type="button" id="share">Copy link</button>
</div>
<textarea id="source" aria-label="Scenario as YAML" aria-describedby="problem" spellcheck="false" autocapitalize="off"></textarea>
<p id="problem" role="alert" hidden></p>
<p class="quiet"><span id="checked"></span></p>
<p class="quiet">The command: <code id="command"></code>. What may be written: <a href="docs/SCENARIOS.html">SCENARIOS</a>.</p>
</section>
</div>
<section class="run" aria-labelledby="run-title">
<h2 id="run-title">Run</h2>
<div class="bar">
<button type="button" id="play" class="main" title="Ctrl+Enter" aria-keyshortcuts="Control+Enter">Start</button>
<button type="button" id="stop" disabled>Stop</button>
<button type="button" id="save-result" disabled>Save result</button>
<span id="state" role="status"></span>
<progress id="progress" aria-label="Part of the run that is done" hidden></progress>
<span id="speed"></span>
</div>
<div id="pickers"></div>
<div id="charts" class="figures"></div>
<div id="tables"></div>
</section>
<noscript><p>The playground needs JavaScript. <a href="docs/SCENARIOS.html">SCENARIOS</a> has the command that plays the same files.</p></noscript>
</main>`;
  const code = script.replaceAll('</script', '<\\/script');
  const hash = createHash('sha256').update(code).digest('base64');
  return sitePage({
    title: 'Playground of xpass',
    path: 'playground.html',
    main,
    style: STYLE,
    scripts: `<script type="application/json" id="scenarios">${JSON.stringify(scenarios).replaceAll('<', '\\u003c')}</script>
<script type="text/plain" id="simulator">${simulator.replaceAll('</script', '<\\/script')}</script>
<script>${code}</script>
`,
    policy: escapeHtml(
      `default-src 'none'; script-src 'sha256-${hash}' blob:; worker-src blob:; style-src 'unsafe-inline'`,
    ),
  });
}
