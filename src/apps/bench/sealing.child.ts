// Tested by test/loopback/bench.test.ts
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { loadFrameCiphers, makeNodeGcm } from '../../udp/seal/gcm.js';
import { Sealer } from '../../udp/seal/sealer.js';
import { Frame } from '../../wire/frame.js';
import { Credit, FrameType, Header } from '../../wire/layout.js';
import { serve } from './child-program.js';

export interface SealingOrder {
  /** UDP payload of the plain frame; null for a credit. */
  readonly frameBytes: number | null;
  readonly seconds: number;
}

/** Processor time of one call, us. */
export interface SealingTimes {
  readonly seal: number;
  readonly open: number;
}

export interface SealingFigures {
  /** As hosts do it. */
  readonly ours: SealingTimes;
  /** Frames by node:crypto, where OpenSSL cannot be called directly. */
  readonly fallback: SealingTimes;
  /** The bare calls of node:crypto. */
  readonly bare: SealingTimes;
  readonly kind: string;
}

/** Calls between two looks at the clock. */
const CALLS = 500;
/** Turns of a measurement; their median counts. */
const TURNS = 5;
const ROOM_BYTES = 64;

/** Processor time of one call, us: the middle of some turns, after one to warm up. */
function timeOf(call: () => void, seconds: number): number {
  const times: number[] = [];
  for (let turn = 0; turn <= TURNS; turn++) {
    const start = process.cpuUsage();
    const endMs = performance.now() + (seconds * 1e3) / (TURNS + 1);
    let calls = 0;
    for (; performance.now() < endMs || calls === 0; calls += CALLS) for (let count = 0; count < CALLS; count++) call();
    const { user, system } = process.cpuUsage(start);
    if (turn > 0) times.push((user + system) / calls);
  }
  return times.sort((a, b) => a - b)[TURNS >>> 1]!;
}

/** Each frame is opened once, so a turn is both, and opening is the rest. */
function timesOf(seal: () => void, open: () => void, seconds: number): SealingTimes {
  const sealUs = timeOf(seal, seconds / 2);
  const bothUs = timeOf(() => {
    seal();
    open();
  }, seconds / 2);
  return { seal: sealUs, open: bothUs - sealUs };
}

function sealerTimes({ frameBytes, seconds }: SealingOrder, makeGcm = makeNodeGcm): SealingTimes {
  const secret = randomBytes(32);
  const here = new Sealer({ secret, isInitiator: true, makeGcm });
  const there = new Sealer({ secret, isInitiator: false, makeGcm });
  const length = frameBytes ?? Credit.bytes;
  const frame = new Frame(Buffer.alloc(length + ROOM_BYTES));
  frame.bytes[Header.versionAndType] = frameBytes === null ? FrameType.credit : FrameType.data;
  const seal = () => {
    frame.length = length;
    here.seal(frame);
  };
  return timesOf(seal, () => there.open(frame), seconds);
}

/** What a program without a sealer would call: the credit with ChaCha20-Poly1305, frames with AES-128-GCM. */
function bareTimes({ frameBytes, seconds }: SealingOrder): SealingTimes {
  const isCredit = frameBytes === null;
  const key = createSecretKey(randomBytes(isCredit ? 32 : 16));
  const [nonce, data, text] = [Buffer.alloc(12), Buffer.alloc(11), Buffer.alloc(isCredit ? 4 : frameBytes - 16)];
  const options = { authTagLength: 16 } as const;
  let [sealed, tag] = [text, text];
  const seal = () => {
    const cipher = isCredit
      ? createCipheriv('chacha20-poly1305', key, nonce, options)
      : createCipheriv('aes-128-gcm', key, nonce, options);
    cipher.setAAD(data, { plaintextLength: text.length });
    sealed = cipher.update(text);
    cipher.final();
    tag = cipher.getAuthTag();
  };
  const open = () => {
    const decipher = isCredit
      ? createDecipheriv('chacha20-poly1305', key, nonce, options)
      : createDecipheriv('aes-128-gcm', key, nonce, options);
    decipher.setAAD(data, { plaintextLength: text.length });
    decipher.setAuthTag(tag);
    decipher.update(sealed);
    decipher.final();
  };
  return timesOf(seal, open, seconds);
}

/** Started by sealing.ts; ready when it is over. */
serve(async (order: SealingOrder) => {
  const { make, kind } = await loadFrameCiphers();
  const ready: SealingFigures = {
    bare: bareTimes(order),
    fallback: sealerTimes(order),
    ours: sealerTimes(order, make),
    kind,
  };
  return { ready };
});
