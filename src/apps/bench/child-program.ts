// Tested by test/loopback/bench.test.ts

import './probe.child.js';

/** What a program of the bench is once it is open. */
export interface Opened<Verb> {
  /** Sent as the answer to the order. */
  readonly ready: object;
  /** Carries out a command; what it returns is sent as the answer. */
  readonly obey?: (verb: Verb) => object | undefined | Promise<object | undefined>;
}

/** Runs this process as a program of the bench, as `Workbench.open` starts it: the first message opens it, each later one is a command with a number. */
export function serve<Order, Verb>(open: (order: Order) => Opened<Verb> | Promise<Opened<Verb>>): void {
  process.once('message', async (order: Order) => {
    const { ready, obey } = await open(order);
    process.on('message', async (message: Verb & { command?: number }) => {
      if (message.command !== undefined) process.send?.({ command: message.command, ...(await obey?.(message)) });
    });
    process.send?.({ ready });
  });
  endWithChannel();
}

/** Ends this process when whoever started it says so. A terminal interrupts this process too, which is not the end. */
export function endWithChannel(): void {
  process.on('SIGINT', () => undefined);
  process.once('disconnect', () => process.exit(0));
}
