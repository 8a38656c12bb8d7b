import type { NetConnectOpts } from 'node:net';
import type { Chapter } from './case.js';
import { pause, record, thrown } from './tools.js';

export const time: Chapter = {
  title: 'Timeouts',
  cases: [
    {
      name: "an idle socket gets 'timeout' and stays open",
      async run(_, tools) {
        const { client, peer } = await tools.pair();
        const seen = record(client);
        let called = 0;
        client.setTimeout(30, () => called++);
        const value = client.timeout ?? null;
        await tools.event(client, 'timeout');
        await pause(100);
        const readyState = client.readyState;
        peer.resume();
        client.destroy();
        await tools.closed(client);
        return { value, readyState, called, seen };
      },
    },
    {
      name: "a 'timeout' whose listener destroys the socket closes it without an error",
      async run(_, tools) {
        const { client } = await tools.pair();
        const seen = record(client);
        client.setTimeout(20);
        client.on('timeout', () => client.destroy());
        await tools.closed(client);
        return { seen };
      },
    },
    {
      name: 'what is sent or received puts the timeout off',
      async run(_, tools) {
        const { client, peer } = await tools.pair();
        peer.pipe(peer);
        client.resume();
        let timeouts = 0;
        client.setTimeout(2_000, () => timeouts++);
        for (let round = 0; round < 5; round++) {
          client.write('x');
          await tools.event(client, 'data');
        }
        client.setTimeout(0);
        return { timeouts, value: client.timeout ?? null };
      },
    },
    {
      name: 'setTimeout(0) stops it, and removes a listener that it is given',
      async run(_, tools) {
        const { client } = await tools.pair();
        let called = 0;
        const listener = () => called++;
        client.setTimeout(20, listener);
        client.setTimeout(0, listener);
        await pause(80);
        return { called, listeners: client.listenerCount('timeout') };
      },
    },
    {
      name: 'the option timeout of connect() is that of the socket',
      async run(_, tools) {
        const { client } = await tools.pair({ client: { timeout: 25 } as Partial<NetConnectOpts> });
        const value = client.timeout ?? null;
        await tools.event(client, 'timeout');
        return { value };
      },
    },
    {
      name: 'wrong arguments of setTimeout() throw',
      async run(net, tools) {
        const socket = tools.hold(new net.Socket());
        const set = (...all: unknown[]) =>
          thrown(() => (socket as unknown as { setTimeout(...all: unknown[]): void }).setTimeout(...all));
        return { thrown: [set('soon'), set(-1), set(Number.NaN), set(10, 'no function')] };
      },
    },
  ],
};
