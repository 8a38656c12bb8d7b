// Tested by test/loopback/lab.test.ts

import { MILLISECOND_NS } from '../../base/time.js';
import { Failure } from '../shared/failure.js';
import { Forked } from '../shared/forked.js';
import type { Bound, Roster } from '../shared/roster.js';
import type { FromHost, HostOrder, HostReport, RunOrder, ToHost } from './messages.js';

const PROGRAM = new URL('host.child.js', import.meta.url);

export interface HostProcessOptions {
  /** The host's name in the scenario. */
  readonly name: string;
  /** It is told when the process cannot go on, or ends without being told to. */
  readonly roster: Roster;
  onFlowEnded(id: number): void;
}

/** The parent's end of a process that plays one host. */
export class HostProcess {
  private readonly child: Forked;

  constructor({ name, roster, onFlowEnded }: HostProcessOptions) {
    this.child = new Forked(name, PROGRAM, { roster, isServer: true });
    this.child.onSaid((said) => {
      const message = said as FromHost;
      if (message.event === 'flowEnded') onFlowEnded(message.id);
      if (message.event === 'failed') roster.lose(new Failure(message.exitCode, `${name}: ${message.message}`));
    });
  }

  /** Throws a Failure when the switch does not take it in time. */
  async attach(host: HostOrder): Promise<void> {
    const attached = this.next('attached', { takesMs: host.attachWithinNs / MILLISECOND_NS });
    this.tell({ order: 'attach', host });
    await attached;
  }

  rehearse(to: readonly number[]): void {
    this.tell({ order: 'rehearse', to });
  }

  rest(): void {
    this.tell({ order: 'rest' });
  }

  run(run: RunOrder): void {
    this.tell({ order: 'run', run });
  }

  setReaderRate(rateBps: number): void {
    this.tell({ order: 'reader', rateBps });
  }

  /** What it has measured so far. */
  async report(): Promise<HostReport> {
    const reported = this.next('report');
    this.tell({ order: 'report' });
    return (await reported).report;
  }

  /** Rejects with a Failure when it does not answer in time. A process that was killed meanwhile need not. */
  async answer(): Promise<void> {
    const alive = this.next('alive');
    this.tell({ order: 'answer' });
    await Promise.race([alive, this.child.ended]);
  }

  /** Ends the process at once; nothing of it is told to anybody. */
  async kill(): Promise<void> {
    await this.child.kill();
  }

  private tell(message: ToHost): void {
    this.child.tell(message);
  }

  private next<E extends FromHost['event']>(event: E, bound: Bound = {}): Promise<Extract<FromHost, { event: E }>> {
    return this.child.next((said) => (said as FromHost).event === event, `say '${event}'`, bound);
  }
}
