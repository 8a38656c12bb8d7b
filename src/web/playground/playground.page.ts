// Tested by test/loopback/playground.test.ts
/** The playground: a scenario as a form and as text, the simulator in a worker, and what it plays. */
import { commandLine } from '../../report/output/command-line.js';
import { download, element, made } from './elements.js';
import { Form } from './form.js';
import type { PlayEvent, PlayedWhole } from './messages.js';
import { RunView } from './run-view.js';
import { ScenarioDocument } from './scenario-document.js';
import { addressOf, type Shared, sharedIn } from './share.js';
import { Simulator } from './simulator.js';

/** After the last key, before the text is read (ours). */
const TYPING_MS = 250;

const path = element('path', HTMLInputElement);
const source = element('source', HTMLTextAreaElement);
const examples = element('examples', HTMLSelectElement);
const file = element('file', HTMLInputElement);
const playButton = element('play', HTMLButtonElement);
const stopButton = element('stop', HTMLButtonElement);
const saveResult = element('save-result', HTMLButtonElement);
const problem = element('problem', HTMLElement);
const state = element('state', HTMLElement);
const checked = element('checked', HTMLElement);
const command = element('command', HTMLElement);

const EXAMPLES = JSON.parse(element('scenarios', HTMLScriptElement).text) as readonly Shared[];

const view = new RunView();
const player = new Simulator(hearRun);
let isWarm = false;
const checker = new Simulator(hearCheck);
const form = new Form(element('fields', HTMLElement), changeField);
let scenario = new ScenarioDocument('');
let result = '';
let typing = 0;

function changeField(name: string, value: string): void {
  scenario.set(name, value);
  source.value = scenario.toString();
  read();
}

/** Shows what the text says, and asks whether it can be played. */
function read(): void {
  scenario = new ScenarioDocument(source.value);
  const { seed } = scenario;
  form.show(scenario.problem === null ? scenario.groups : null);
  command.textContent = commandLine(path.value, seed === undefined ? {} : { seed });
  checker.ask({ kind: 'check', path: path.value, source: source.value });
}

function show(shared: Shared): void {
  path.value = shared.path;
  source.value = shared.source;
  read();
}

function hearCheck(event: PlayEvent): void {
  if (event.kind === 'failure') showProblem(event);
  if (event.kind !== 'checked') return;
  const { flows, hosts, links } = event;
  showProblem(null);
  checked.textContent = `${flows} ${flows === 1 ? 'flow' : 'flows'}, ${hosts} hosts, ${links.length} links`;
  form.suggestLinks(links);
  warmUp();
}

/** Once for each worker that plays, with the first scenario that can be played. */
function warmUp(): void {
  if (isWarm) return;
  isWarm = true;
  player.ask({ kind: 'warm', path: path.value, source: source.value });
}

function showProblem(found: { readonly message: string; readonly line: number | null } | null): void {
  problem.hidden = found === null;
  problem.textContent = found?.message ?? '';
  source.setAttribute('aria-invalid', String(found !== null));
  playButton.disabled = found !== null || !stopButton.disabled;
  if (found !== null) checked.textContent = '';
  if (found?.line != null) {
    const { line } = found;
    problem.append(' ', made('button', { type: 'button', onclick: () => goTo(line) }, [`Go to line ${line}`]));
  }
}

function goTo(line: number): void {
  const lines = source.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  source.focus();
  source.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
}

function play(): void {
  if (playButton.disabled) return;
  setRunning(true);
  result = '';
  saveResult.disabled = true;
  view.clear();
  state.textContent = 'Running';
  // A run is warm-up enough, and its answers are awaited now.
  isWarm = true;
  player.ask({ kind: 'play', path: path.value, source: source.value });
}

function stop(): void {
  player.stop();
  finish('Stopped');
  isWarm = false;
  warmUp();
}

function finish(text: string): void {
  setRunning(false);
  view.rest();
  state.textContent = text;
}

function setRunning(isRunning: boolean): void {
  playButton.disabled = isRunning || !problem.hidden;
  stopButton.disabled = !isRunning;
}

function hearRun(event: PlayEvent): void {
  if (event.kind === 'first') view.first(event.nowNs);
  else if (event.kind === 'begun') view.begin(event);
  else if (event.kind === 'part') view.part(event);
  else if (event.kind === 'whole') hearWhole(event);
  else if (event.kind === 'failure') {
    showProblem(event);
    finish('Failed');
  }
}

function hearWhole(event: PlayedWhole): void {
  view.whole(event);
  result = event.json;
  saveResult.disabled = false;
  finish('Done');
}

async function share(): Promise<void> {
  const hash = await addressOf({ path: path.value, source: source.value });
  history.replaceState(null, '', hash);
  try {
    await navigator.clipboard.writeText(location.href);
    state.textContent = 'Link copied';
  } catch {
    state.textContent = 'The address of this page is now the link';
  }
}

async function showAddress(): Promise<void> {
  try {
    const shared = await sharedIn(location.hash);
    show(shared ?? EXAMPLES[0]);
  } catch (error) {
    show(EXAMPLES[0]);
    state.textContent = (error as Error).message;
  }
}

function typed(): void {
  clearTimeout(typing);
  typing = window.setTimeout(read, TYPING_MS);
}

examples.append(...EXAMPLES.map((each, at) => made('option', { value: String(at) }, [each.path])));
examples.addEventListener('change', () => {
  const chosen = EXAMPLES[Number(examples.value)];
  if (examples.value !== '' && chosen !== undefined) show(chosen);
  examples.value = '';
});
source.addEventListener('input', typed);
path.addEventListener('input', typed);
file.addEventListener('change', async () => {
  const [chosen] = file.files ?? [];
  if (chosen !== undefined) show({ path: chosen.name, source: await chosen.text() });
  file.value = '';
});
playButton.addEventListener('click', play);
stopButton.addEventListener('click', stop);
element('share', HTMLButtonElement).addEventListener('click', () => void share());
element('load', HTMLButtonElement).addEventListener('click', () => file.click());
element('save', HTMLButtonElement).addEventListener('click', () =>
  download(path.value, source.value, 'application/yaml'),
);
saveResult.addEventListener('click', () =>
  download(`${path.value.replace(/(?<=.)\.[^.]*$/, '')}.json`, `${result}\n`, 'application/json'),
);
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) play();
});
addEventListener('hashchange', () => void showAddress());
void showAddress();
