// Tested by test/loopback/playground.test.ts
/** Workers that simulate, of the script that the page holds: so it runs where it is opened as a file, too. */
import { element } from './elements.js';
import type { PlayEvent, PlayRequest } from './messages.js';

export class Simulator {
  private readonly hear: (event: PlayEvent) => void;
  private worker: Worker | null = null;

  /** `hear` gets what the worker says of the latest request. */
  constructor(hear: (event: PlayEvent) => void) {
    this.hear = hear;
  }

  ask(request: PlayRequest): void {
    this.stop();
    const worker = new Worker(script());
    worker.addEventListener('message', ({ data }: MessageEvent<PlayEvent>) => this.hear(data));
    worker.addEventListener('error', ({ message }) => this.hear({ kind: 'failure', message, line: null }));
    worker.postMessage(request);
    this.worker = worker;
  }

  /** A worker that simulates hears nothing: it is ended. */
  stop(): void {
    this.worker?.terminate();
    this.worker = null;
  }
}

let address: string | null = null;

function script(): string {
  address ??= URL.createObjectURL(
    new Blob([element('simulator', HTMLScriptElement).text], { type: 'text/javascript' }),
  );
  return address;
}
