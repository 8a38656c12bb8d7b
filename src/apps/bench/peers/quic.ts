// Tested by test/loopback/bench.test.ts

import { webcrypto } from 'node:crypto';
import type { FlowsCarrier } from '../flows/carrier.js';
import { selfSigned } from './certificate.js';
import { loadPeer } from './load-peer.js';
import { LOOPBACK, type PeerStream, type StreamReader, streamCarrier } from './stream-carrier.js';

/** Of 2.0.9, packages for macOS and Windows are missing. */
const INSTALL = '@matrixai/quic@1.2.12 @matrixai/logger@3.1.3';
const KEY_BYTES = 32;
/** Without end, for this purpose: by default a connection may have a hundred streams in all. */
const STREAMS = { initialMaxStreamsUni: 10_000_000 };
const MAC = { name: 'HMAC', hash: 'SHA-256' };

/** What is used of @matrixai/quic. Its own types would have to be there wherever this is compiled, and it may be missing. */
interface QuicModule {
  readonly QUICServer: new (
    options: object,
  ) => EventTarget & { start(at: object): Promise<void>; readonly port: number };
  readonly QUICClient: {
    createQUICClient(options: object): Promise<{ connection: { newStream(type: 'uni'): QuicStream } }>;
  };
  readonly events: Record<'EventQUICServerConnection' | 'EventQUICConnectionStream', { readonly name: string }>;
}

interface QuicStream {
  readonly readable: AsyncIterable<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

interface LoggerModule {
  readonly default: new (name: string, level: number, handlers: readonly unknown[]) => unknown;
  readonly LogLevel: { readonly WARN: number };
}

/** QUIC by quiche, a one-way stream of one connection for each flow. Says why where it cannot be loaded. */
export async function loadQuic(): Promise<FlowsCarrier | string> {
  const quic = await loadPeer<QuicModule>('@matrixai/quic', INSTALL);
  if (typeof quic === 'string') return quic;
  const logging = await loadPeer<LoggerModule>('@matrixai/logger', INSTALL);
  if (typeof logging === 'string') return logging;
  // Without one it writes every step of every connection to standard error.
  return carrier(quic, new logging.default('quic', logging.LogLevel.WARN, []));
}

function carrier({ QUICServer, QUICClient, events }: QuicModule, logger: unknown): FlowsCarrier {
  return streamCarrier({
    listen: async (accept) => {
      const config = { ...selfSigned('localhost'), verifyPeer: false, ...STREAMS };
      const server = new QUICServer({ crypto: await serverCrypto(), config, logger });
      server.addEventListener(events.EventQUICServerConnection.name, (connected) =>
        detailOf<EventTarget>(connected).addEventListener(events.EventQUICConnectionStream.name, (opened) => {
          void read(detailOf<QuicStream>(opened), accept());
        }),
      );
      await server.start({ host: LOOPBACK, port: 0 });
      return String(server.port);
    },
    dial: async (target) => {
      const at = { host: LOOPBACK, port: Number(target), localHost: LOOPBACK };
      const config = { verifyPeer: false, ...STREAMS };
      const { connection } = await QUICClient.createQUICClient({ ...at, crypto: clientCrypto(), config, logger });
      return async () => quicStream(connection.newStream('uni'));
    },
  });
}

/** What an event of the package is about; it says so in a field that Node's own events do not have. */
function detailOf<T>(event: Event): T {
  return (event as Event & { readonly detail: T }).detail;
}

async function read({ readable }: QuicStream, reader: StreamReader): Promise<void> {
  for await (const bytes of readable) reader.onData(bytes);
  reader.onEnd();
}

function quicStream({ writable }: QuicStream): PeerStream {
  const writer = writable.getWriter();
  return { write: (bytes) => writer.write(bytes), end: () => writer.close() };
}

/** The key with which a server proves addresses. */
async function serverCrypto(): Promise<object> {
  const { subtle } = webcrypto;
  const imported = (raw: ArrayBuffer) => subtle.importKey('raw', raw, MAC, false, ['sign', 'verify']);
  return {
    key: webcrypto.getRandomValues(new Uint8Array(KEY_BYTES)).buffer,
    ops: {
      sign: async (raw: ArrayBuffer, data: ArrayBuffer) => subtle.sign('HMAC', await imported(raw), data),
      verify: async (raw: ArrayBuffer, data: ArrayBuffer, mac: ArrayBuffer) =>
        subtle.verify('HMAC', await imported(raw), mac, data),
    },
  };
}

function clientCrypto(): object {
  return {
    ops: {
      randomBytes: async (data: ArrayBuffer) => {
        webcrypto.getRandomValues(new Uint8Array(data));
      },
    },
  };
}
