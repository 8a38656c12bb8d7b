import { Fault } from '../../../src/services/file/fault.js';
import { encodeMessage, type Message, MessageDecoder } from '../../../src/services/file/message.js';
import {
  acceptedHeader,
  connectHeader,
  listenHeader,
  listeningAnswer,
  parseAccepted,
  parseConnect,
  parseListen,
  parseListening,
} from '../../../src/services/tunnel/messages.js';
import { bytesOf, must, type Target, textOf } from '../engine/target.js';

const TOKEN = '0123456789abcdef0123456789abcdef';

/** JSON of tunnel messages: what is understood is written the same again, and hosts and ports are of the kinds that they may be. */
export const tunnel: Target = {
  name: 'tunnel',
  seeds: () => [
    bytesOf(JSON.stringify({ kind: 'tunnel', host: 'example.org', port: 80 })),
    bytesOf(JSON.stringify({ kind: 'tunnel-listen', host: '::1', port: 0, token: TOKEN })),
    bytesOf(JSON.stringify({ kind: 'tunnel-accepted', host: '127.0.0.1', port: 65_535, token: TOKEN })),
    bytesOf(JSON.stringify({ kind: 'tunnel-listening', host: '::ffff:127.0.0.1', port: 1 })),
  ],
  words: ['"host":', '"port":', '"token":', TOKEN, '::', '%eth0', '127.0.0.1', '-', '.', '65536', '1e3', 'null'],
  run: (input) => {
    const message = messageOf(input);
    if (message === null) return;
    const connect = parseConnect(message);
    if (!(connect instanceof Fault)) same(connect, parseConnect(connectHeader(connect)));
    const listen = parseListen(message);
    if (!(listen instanceof Fault)) same(listen, parseListen(listenHeader(listen)));
    const accepted = parseAccepted(message);
    if (!(accepted instanceof Fault)) same(accepted, parseAccepted(acceptedHeader(accepted)));
    const listening = parseListening(message);
    if (!(listening instanceof Fault)) same(listening, parseListening(listeningAnswer(listening)));
    for (const parsed of [connect, listening]) {
      if (parsed instanceof Fault) continue;
      must(Number.isInteger(parsed.port) && parsed.port >= 1 && parsed.port <= 65_535, `port ${parsed.port}`);
      must(parsed.host.length > 0 && parsed.host.length < 256, `a host of ${parsed.host.length} characters`);
      must(/^[\x21-\x7e]+$/.test(parsed.host), `host ${JSON.stringify(parsed.host)}`);
    }
  },
};

/** The text as a message, with the length that it has. */
function messageOf(input: Uint8Array): Message | null {
  let value: unknown;
  try {
    value = JSON.parse(textOf(input));
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const decoder = new MessageDecoder();
  decoder.push(encodeMessage({ kind: 'tunnel', ...value }), 0);
  return decoder.result instanceof Fault ? null : decoder.result;
}

function same(first: unknown, second: unknown): void {
  must(JSON.stringify(first) === JSON.stringify(second), `${JSON.stringify(first)} reads as ${JSON.stringify(second)}`);
}
