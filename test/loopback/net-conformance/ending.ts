import { finished } from 'node:stream/promises';
import type { Case, Chapter } from './case.js';
import { codeOf, hasClosed, heard, noise, pause, record, textOf, thrown } from './tools.js';

const orderly: Case[] = [
  {
    name: 'an echo ends at both ends without an error',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const seen = { client: record(client), server: record(peer) };
      peer.pipe(peer);
      // Not an iterator: it destroys a socket at its end, and 'finish' of xpass comes when the peer has every byte.
      const got = heard(client);
      client.end('echo');
      await tools.closed(peer, client);
      // Which of the two comes first is the network's to say.
      return { answer: got.text, client: seen.client.toSorted(), server: seen.server };
    },
  },
  {
    name: "end() without data is an 'end' for the peer",
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const seen = record(peer);
      const got = heard(peer);
      client.resume();
      client.end();
      await tools.closed(peer, client);
      return { server: seen, text: got.text };
    },
  },
  {
    name: 'a server that speaks first and ends is read to its end',
    async run(_, tools) {
      const { port } = await tools.listen((socket) => socket.end('welcome'));
      const client = tools.connect(port);
      const seen = record(client);
      const text = await textOf(client);
      return { text, seen: seen.filter((name) => name !== 'finish') };
    },
  },
  {
    name: 'a server with allowHalfOpen answers after the end of the client',
    async run(_, tools) {
      const { client, peer } = await tools.pair({ server: { allowHalfOpen: true } });
      const got = heard(peer);
      peer.on('end', () => setTimeout(() => peer.end(`got ${got.text}`), 20));
      client.end('question');
      return { answer: await textOf(client) };
    },
  },
  {
    name: "a server without allowHalfOpen ends by itself on the client's end",
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      peer.resume();
      const seen = record(peer);
      client.end();
      client.resume();
      await tools.closed(peer);
      return { seen, writableEnded: peer.writableEnded };
    },
  },
  {
    name: 'a client with allowHalfOpen goes on writing after the end of the server',
    async run(_, tools) {
      const { client, peer } = await tools.pair({ client: { allowHalfOpen: true } });
      const got = heard(peer);
      peer.end();
      client.resume();
      await tools.event(client, 'end');
      const writable = client.writable;
      client.end('still here');
      await tools.closed(peer);
      return { writable, got: got.text };
    },
  },
  {
    name: "a write after the peer's end without allowHalfOpen is EPIPE",
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      client.on('error', () => undefined);
      client.resume();
      peer.end();
      await tools.event(client, 'end');
      const code = await new Promise<string>((resolve) => {
        client.write('late', (error) => resolve(codeOf(error)));
      });
      return { code };
    },
  },
  {
    name: "a write at once after the peer's end, of a socket that has written before",
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      client.resume();
      peer.resume();
      client.write('early');
      await tools.event(peer, 'data');
      peer.end();
      await tools.event(client, 'end');
      const code = await new Promise<string>((resolve) => {
        client.write('late', (error) => resolve(codeOf(error)));
      });
      return { code };
    },
    differs: {
      ours: { code: 'none' },
      why: 'A socket that has written ends some turns of the event loop later, since TLS over it may not have written all that it has to.',
    },
  },
  {
    name: 'the end of a stream waits until what came before it was read',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      peer.pause();
      const seen = record(peer);
      client.end('unread');
      await pause();
      const before = [...seen];
      const text = await textOf(peer);
      return { before, text, after: seen.filter((name) => name === 'end') };
    },
  },
  {
    name: 'end() with data and a callback calls it once',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      let called = 0;
      client.resume();
      client.end('last', 'latin1', () => called++);
      const text = await textOf(peer);
      await tools.until(() => client.closed, 'the close of the client');
      return { text, called };
    },
  },
  {
    name: 'a second end() tells its callback that the stream is ended',
    async run(_, tools) {
      const { client } = await tools.pair();
      client.resume();
      client.end();
      await finished(client, { readable: false });
      const code = await new Promise<string>((resolve) => {
        client.end((error?: Error) => resolve(codeOf(error)));
      });
      return { code };
    },
  },
  {
    name: 'destroySoon() sends what was written, then closes',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const seen = record(client);
      client.write(noise(200_000));
      client.destroySoon();
      let bytes = 0;
      for await (const chunk of peer) bytes += chunk.length;
      await tools.until(() => hasClosed(seen), 'the close of the client');
      return { bytes, seen };
    },
  },
];

const broken: Case[] = [
  {
    name: 'a write after end() is an error, and closes the socket',
    async run(_, tools) {
      const { client } = await tools.pair();
      const seen = record(client);
      client.end('all');
      const code = await new Promise<string>((resolve) => {
        client.write('more', (error) => resolve(codeOf(error)));
      });
      await tools.until(() => hasClosed(seen), 'the close of the client');
      return { code, seen: seen.filter((name) => name !== 'finish') };
    },
  },
  {
    name: 'a write after destroy() is an error of its callback alone',
    async run(_, tools) {
      const { client } = await tools.pair();
      const seen = record(client);
      client.destroy();
      const code = await new Promise<string>((resolve) => {
        client.write('more', (error) => resolve(codeOf(error)));
      });
      await pause();
      return { code, seen };
    },
  },
  {
    name: 'an end() after an error does nothing but call its callback',
    async run(_, tools) {
      const { client } = await tools.pair();
      const seen = record(client);
      client.destroy(new Error('broken'));
      await tools.closed(client);
      const code = await new Promise<string>((resolve) => {
        client.end((error?: Error) => resolve(codeOf(error)));
      });
      return { code, seen };
    },
  },
  {
    name: 'destroy() ends a stream on which nothing is under way, for the peer as end() does',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const seen = { client: record(client), server: record(peer) };
      peer.resume();
      client.destroy();
      await tools.closed(client, peer);
      return { client: seen.client, server: seen.server };
    },
  },
  {
    name: "destroy() in the listener of 'connect'",
    async run(_, tools) {
      let taken: string[] = [];
      const { server, port } = await tools.listen((socket) => {
        taken = record(socket);
        socket.resume();
      });
      const client = tools.connect(port);
      const seen = record(client);
      client.on('connect', () => client.destroy());
      await tools.closed(client);
      await tools.until(() => hasClosed(taken), 'the close at the server');
      server.close();
      return { client: seen, server: taken };
    },
  },
  {
    name: 'destroy(error) gives the error to this end',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const seen = record(client);
      peer.resume();
      client.destroy(new Error('on purpose'));
      const error = (await tools.event(client, 'error')) as Error;
      await tools.until(() => hasClosed(seen), 'the close of the client');
      return { seen, message: error.message, destroyed: client.destroyed };
    },
  },
  {
    name: 'what destroy(error) means to the peer',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const seen = record(peer);
      peer.resume();
      client.destroy(new Error('on purpose'));
      await tools.closed(peer);
      return { server: seen };
    },
    differs: {
      ours: { server: ['error:ECONNRESET', 'close:true'] },
      why: 'The peer must not take a stream for whole that has failed here.',
    },
  },
  {
    name: 'what destroy() while data is under way means to a peer that reads on',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      peer.pause();
      const seen = record(peer);
      const bytes = noise(32 * 2 ** 20);
      client.write(bytes);
      await pause();
      client.destroy();
      let read = 0;
      peer.on('data', (chunk) => {
        read += chunk.length;
      });
      peer.resume();
      await tools.closed(peer);
      return { server: seen, isWhole: read === bytes.length };
    },
    differs: {
      ours: { server: ['error:ECONNRESET', 'close:true'], isWhole: false },
      why: 'A stream that is cut resets, so that the peer does not take its part for the whole.',
    },
  },
  {
    name: 'resetAndDestroy() is ECONNRESET for the peer',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const seen = { client: record(client), server: record(peer) };
      peer.resume();
      const failed = tools.event(peer, 'error');
      const returned = client.resetAndDestroy();
      const error = (await failed) as NodeJS.ErrnoException;
      await tools.until(() => hasClosed(seen.client) && hasClosed(seen.server), 'the close of both');
      return {
        client: seen.client,
        server: seen.server,
        syscall: error.syscall ?? 'none',
        chainable: returned === client,
      };
    },
  },
  {
    name: 'resetAndDestroy() of a closed socket is an error',
    async run(_, tools) {
      const { client } = await tools.pair();
      client.destroy();
      await tools.closed(client);
      const seen = record(client);
      const outcome = thrown(() => client.resetAndDestroy());
      await pause();
      return { outcome, seen };
    },
  },
  {
    name: 'a write to a peer that has reset the stream fails',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      client.resume();
      peer.resetAndDestroy();
      await tools.closed(client);
      const code = await new Promise<string>((resolve) => {
        client.write('late', (error) => resolve(codeOf(error)));
      });
      return { code };
    },
  },
];

export const ending: Chapter = { title: 'Ending', cases: [...orderly, ...broken] };
