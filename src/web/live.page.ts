// Tested by test/loopback/live-page.test.ts
/** The live page of a process: what the stream tells goes into a history, and what is in view of it is drawn when the browser draws. */
import type { LiveCommand, LiveMark, LiveSample, LiveScene } from '../report/live-data.js';
import { Controls } from './live-controls.js';
import { FlowView } from './live-flows.js';
import { LiveHistory } from './live-history.js';
import { PortView } from './live-ports.js';
import { hasToken, openStream, sendCommand } from './live-stream.js';
import { Topology } from './live-topology.js';

/** Marks in the list; the page forgets as its process does (ours). */
const MAX_MARKS = 100;

const find = <T extends HTMLElement>(selector: string): T => document.querySelector(selector) as T;

class LivePage {
  private scene: LiveScene | null = null;
  private history = new LiveHistory();
  private marks: LiveMark[] = [];
  private isDrawing = false;
  private readonly status = find('.state');
  private readonly problem = find('.problem');
  private readonly flows = new FlowView();
  private readonly ports = new PortView();
  private readonly topology = new Topology(find('#network'), (name) => this.ports.toggle(name));
  private readonly controls = new Controls(find('#controls'), (command) => void this.send(command));

  constructor() {
    find('.live-head').prepend(find('h1'));
    openStream({
      scene: (scene) => this.takeScene(scene),
      sample: (sample) => this.takeSample(sample),
      mark: (mark) => this.takeMark(mark),
      state: (isLive) => this.showState(isLive),
    });
  }

  private takeScene(scene: LiveScene): void {
    if (this.scene?.run !== scene.run) this.beginAnew();
    this.scene = scene;
    document.title = find('h1').textContent = scene.title;
    this.topology.draw(scene);
    this.controls.show(scene, hasToken());
    this.ports.show(scene);
    if (!hasToken()) this.problem.textContent = 'To change things, open the address that the process printed.';
  }

  /** Another process: its counts, times and marks are others. */
  private beginAnew(): void {
    this.history = new LiveHistory();
    this.marks = [];
    find('.notes').replaceChildren();
    find('#no-notes').hidden = false;
    this.problem.textContent = '';
  }

  private takeSample(sample: LiveSample): void {
    this.history.add(sample);
    if (this.isDrawing) return;
    this.isDrawing = true;
    // Not called while nobody sees the page.
    requestAnimationFrame(() => {
      this.isDrawing = false;
      this.draw();
    });
  }

  private draw(): void {
    const { scene, history } = this;
    if (scene === null) return;
    const [firstS] = history.timesS;
    const marks = this.marks
      .map(({ atMs, number }) => ({ x: atMs / 1e3, name: String(number) }))
      .filter(({ x }) => x >= firstS);
    this.ports.draw(history, marks);
    this.flows.draw(scene, history, marks);
    this.topology.show(
      history.ports.map(({ loadBps }) => loadBps.at(-1) ?? null),
      this.ports.chosen,
    );
  }

  /** Once: a page that comes back is told all of them again. */
  private takeMark(mark: LiveMark): void {
    if (this.marks.some(({ number }) => number === mark.number)) return;
    this.marks.push(mark);
    if (this.marks.length > MAX_MARKS) this.marks.shift();
    find('#no-notes').hidden = true;
    const item = document.createElement('li');
    item.value = mark.number;
    item.textContent = mark.text;
    find('.notes').prepend(item);
  }

  private showState(isLive: boolean): void {
    const [text, colour] = isLive ? ['live', 'met'] : ['reconnecting', 'outside'];
    if (this.status.textContent === text) return;
    this.status.textContent = text;
    this.status.className = `state ${colour}`;
  }

  private async send(command: LiveCommand): Promise<void> {
    const problem = await sendCommand(command);
    this.problem.textContent = problem ?? '';
    // What was not done is not shown as if it were.
    if (problem !== null && this.scene !== null) this.controls.show(this.scene, hasToken());
  }
}

new LivePage();
