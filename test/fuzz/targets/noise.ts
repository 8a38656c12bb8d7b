import { NOISE_MESSAGE_BYTES, NoiseHandshake, type NoiseOptions, type NoisePattern } from '../../../src/core/noise.js';
import type { NoisePrimitives } from '../../../src/core/noise-state.js';
import { keyPairOf, noisePrimitives } from '../../../src/udp/noise-primitives.js';
import { Input } from '../engine/input.js';
import { must, type Target } from '../engine/target.js';

const PATTERNS: readonly NoisePattern[] = ['NNpsk0', 'IK'];
const PSK = new Uint8Array(32).fill(7);
const PROLOGUE = Uint8Array.from([2, 1]);
/** Fixed, so that an input does the same each time. */
const [OURS, THEIRS, EPHEMERAL] = [1, 2, 3].map((byte) => keyPairOf(new Uint8Array(32).fill(byte))) as [
  Pair,
  Pair,
  Pair,
];
type Pair = ReturnType<typeof keyPairOf>;
const PRIMITIVES: NoisePrimitives = { ...noisePrimitives, makeKeyPair: () => EPHEMERAL };

/** Messages of a handshake that somebody made up or changed: only what the peer wrote is taken, and what is refused changes nothing. */
export const noise: Target = {
  name: 'noise',
  seeds: () => [
    Uint8Array.from([0, 1, 0, 0]),
    Uint8Array.from([1, 1, 5, 1, 1, 9, 1]),
    Uint8Array.from([0, 0, ...new Uint8Array(96).fill(3)]),
    Uint8Array.from([1, 0, ...new Uint8Array(144).fill(3)]),
  ],
  maxBytes: 300,
  run: (data) => {
    const input = new Input(data);
    const pattern = input.pick(PATTERNS);
    const [initiator, answerer] = [endOf(pattern, true), endOf(pattern, false)];
    const lies = Array.from({ length: 1 + input.below(3) }, () => lieFrom(input));
    const hello = must1(initiator.write(new Uint8Array(0)));
    for (const lie of lies) refuse(answerer, hello, lie);
    must(answerer.read(hello)?.length === 0, 'the true first message is taken after any that is not');
    const welcome = must1(answerer.write(new Uint8Array(0)));
    must(
      hello.length === NOISE_MESSAGE_BYTES[pattern][0],
      'the first message has the length that frames have room for',
    );
    must(welcome.length === NOISE_MESSAGE_BYTES[pattern][1], 'and the second');
    for (const lie of lies) refuse(initiator, welcome, lie);
    must(initiator.read(welcome)?.length === 0, 'the true second message is taken after any that is not');
    must(initiator.isDone && answerer.isDone, 'both are done');
    must(Buffer.compare(initiator.finish().hash, answerer.finish().hash) === 0, 'both have the same keys');
  },
};

/** Of a true message makes another one. */
type Lie = (message: Uint8Array) => Uint8Array;

function lieFrom(input: Input): Lie {
  const kind = input.below(4);
  if (kind === 0) {
    const made = input.bytes(input.u8()).slice();
    return () => made;
  }
  const [at, xor, length] = [input.u8(), input.u8(), input.u8()];
  if (kind === 1) return (message) => message.map((byte, index) => (index === at % message.length ? byte ^ xor : byte));
  if (kind === 2) return (message) => message.slice(0, length);
  const end = input.bytes(length % 32).slice();
  return (message) => Uint8Array.from([...message, ...end]);
}

function refuse(handshake: NoiseHandshake, message: Uint8Array, lie: Lie): void {
  const made = lie(message);
  if (Buffer.compare(made, message) === 0) return;
  must(handshake.read(made) === null, `${made.length} bytes that the peer did not write are refused`);
  must(!handshake.isDone, 'a refused message is no progress');
}

function endOf(pattern: NoisePattern, isInitiator: boolean): NoiseHandshake {
  const common: NoiseOptions = { pattern, isInitiator, prologue: PROLOGUE, primitives: PRIMITIVES };
  if (pattern === 'NNpsk0') return new NoiseHandshake({ ...common, psk: PSK });
  const [identity, answerer] = isInitiator ? [OURS, THEIRS.public] : [THEIRS, OURS.public];
  return new NoiseHandshake({ ...common, identity, ...(isInitiator && { answerer }) });
}

function must1(message: Uint8Array | null): Uint8Array {
  must(message !== null, 'a handshake writes in its turn');
  return message;
}
