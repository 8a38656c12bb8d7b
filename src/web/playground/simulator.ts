// Tested by test/loopback/playground.test.ts
/** Workers that simulate, of the script that the page holds: so it runs where it is opened as a file, too. */
import { element } from './elements.js';
import type { PlayAnswer, PlayEvent, PlayRequest } from './messages.js';

/** One worker, which stays: its code is read once, and what it has played before it plays faster. */
export class Simulator {
  private readonly hear: (event: PlayEvent) => void;
  private worker: Worker | null = null;
  private asked = 0;

  /** `hear` gets what the worker says of the latest request. */
  constructor(hear: (event: PlayEvent) => void) {
    this.hear = hear;
  }

  ask(request: Omit<PlayRequest, 'number'>): void {
    this.worker ??= this.start();
    this.worker.postMessage({ ...request, number: ++this.asked } satisfies PlayRequest);
  }

  /** A worker that simulates hears nothing: it is ended. */
  stop(): void {
    this.worker?.terminate();
    this.worker = null;
  }

  private start(): Worker {
    const worker = new Worker(script());
    worker.addEventListener('message', ({ data: { number, event } }: MessageEvent<PlayAnswer>) => {
      if (number === this.asked && worker === this.worker) this.hear(event);
    });
    worker.addEventListener('error', ({ message }) => this.hear({ kind: 'failure', message, line: null }));
    return worker;
  }
}

let address: string | null = null;

function script(): string {
  address ??= URL.createObjectURL(
    new Blob([element('simulator', HTMLScriptElement).text], { type: 'text/javascript' }),
  );
  return address;
}
