import { SocksReader, type SocksStep } from '../../../src/services/tunnel/socks.js';
import { bytesOf, must, type Target } from '../engine/target.js';

const GREETING = [5, 1, 0];

/** A client of the SOCKS proxy: split anywhere it comes to the same end, and what follows a request goes on whole. */
export const socks: Target = {
  name: 'socks',
  seeds: () => [
    Uint8Array.from([1, ...GREETING, 5, 1, 0, 1, 127, 0, 0, 1, 0, 80]),
    Uint8Array.from([3, ...GREETING, 5, 1, 0, 3, 11, ...bytesOf('example.org'), 1, 187, 71, 69, 84]),
    Uint8Array.from([9, 5, 2, 1, 0, 5, 1, 0, 4, ...new Array(15).fill(0), 1, 0, 22]),
    Uint8Array.from([0, 4, 1, 0, 80]),
    // More behind the request than is held of one.
    Uint8Array.from([255, ...GREETING, 5, 1, 0, 1, 127, 0, 0, 1, 0, 80, ...new Array(600).fill(7)]),
  ],
  words: ['localhost', '127.0.0.1', '::1', 'example.org'],
  maxBytes: 1_024,
  run: (input) => {
    const [step = 0] = input;
    const stream = input.subarray(1);
    const whole = ends(stream, stream.length);
    const split = ends(stream, 1 + step);
    must(
      JSON.stringify(split) === JSON.stringify(whole),
      `it ends as ${JSON.stringify(split)}, not ${JSON.stringify(whole)}`,
    );
  },
};

/** What a client comes to: its target and what is behind the request, or why it is refused. */
function ends(stream: Uint8Array, step: number): unknown {
  const reader = new SocksReader();
  const answers: number[] = [];
  for (let at = 0; at < stream.length; at += step) {
    let result: SocksStep = reader.push(stream.subarray(at, at + step));
    for (let again = 0; result.kind === 'greeted'; again++) {
      must(again < 2, 'one greeting');
      answers.push(...result.answer);
      result = reader.push(new Uint8Array(0));
    }
    if (result.kind === 'refused') return { answers: [...answers, ...result.answer], reason: result.reason };
    if (result.kind !== 'connect') continue;
    const { target, rest } = result;
    must(target.port >= 1 && target.port <= 65_535 && target.host.length > 0, 'a target is a host and a port');
    return { answers, target, rest: [...rest, ...stream.subarray(at + step)] };
  }
  return { answers };
}
