import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { MILLISECOND_NS, SECOND_NS } from '../../src/base/time.js';
import { formatKey, type HostKey, makeKey, writeKeyFile } from '../../src/net/key-file.js';
import { type Keys, keyExchange, readKeys, refuseOpenDoor } from '../../src/net/keys.js';
import { Peers } from '../../src/net/peers-file.js';
import { loadFrameCiphers } from '../../src/udp/seal/gcm.js';
import { frameType } from '../../src/wire/decode.js';
import { Frame } from '../../src/wire/frame.js';
import { Attach, kindOf, NoAssociation } from '../../src/wire/frames.js';
import { SEALED_EXTRA_BYTES } from '../../src/wire/layout.js';
import { NONCE_PROOF, proofAt } from '../../src/wire/proofs.js';
import { addFaults, TERRIBLE } from '../harness/faults.js';
import { behindNats, doorOf, SERVER } from '../harness/nats.js';
import { pattern, Sink, Source } from '../harness/streams.js';
import { World } from '../harness/world.js';

const RATE_BPS = 100e6;
const CHANGES = { rateBps: RATE_BPS, sealBytes: SEALED_EXTRA_BYTES, frameBytes: 1_472 - SEALED_EXTRA_BYTES };

async function keysOf(own: HostKey, peers: Peers | null = null): Promise<Keys> {
  return { own, peers, proof: NONCE_PROOF, ciphers: await loadFrameCiphers() };
}

/** Hosts with these keys, the last of which reads what comes. */
function worldOf(keys: readonly Keys[], seed = 1) {
  const world = new World(seed, MILLISECOND_NS);
  const exchange = (index: number) => keyExchange(keys[index]!, (peer) => `host-${peer}`);
  world.doors = { keys: exchange };
  const sink = new Sink(world);
  for (let index = 0; index < keys.length; index++)
    world.addHost(CHANGES, index === keys.length - 1 ? sink : undefined);
  return { world, sink };
}

function identities(count: number) {
  const keys = Array.from({ length: count }, () => makeKey('identity'));
  const named = keys.map(
    (key, index) => [`host-${index}`, key.kind === 'identity' ? key.identity.public : null] as const,
  );
  /** All but those at `without`. */
  const peersBut = (...without: number[]) => {
    const peers = new Peers();
    named.forEach(([name, key], index) => {
      if (key !== null && !without.includes(index)) peers.add(name, key);
    });
    return peers;
  };
  return { keys, peersBut };
}

describe('hosts with keys', () => {
  it('that share a secret exchange a stream of which nobody on the way sees a byte', async () => {
    const keys = await keysOf(makeKey('secret'));
    const { world, sink } = worldOf([keys, keys]);
    const text = Buffer.from(pattern(0, 64));
    let isSeen = false;
    world.network = ({ bytes, length }) => {
      isSeen ||= Buffer.from(bytes.subarray(0, length)).includes(text.subarray(0, 16));
      return [0];
    };
    const source = new Source(world, 100_000);
    source.start(0, 1);
    world.run(2 * SECOND_NS);
    expect(source.closed).toBeNull();
    expect(sink.readers[0]).toMatchObject({ received: 100_000, wrong: 0, closed: null });
    expect(isSeen).toBe(false);
  });

  it('exchange a stream over a network that loses, copies, reorders and spoils frames', async () => {
    const keys = await keysOf(makeKey('secret'));
    const { world, sink } = worldOf([keys, keys], 7);
    addFaults(world, TERRIBLE);
    const source = new Source(world, 50_000);
    source.start(0, 1);
    world.run(30 * SECOND_NS);
    expect(source.closed).toBeNull();
    expect(sink.readers[0]).toMatchObject({ received: 50_000, wrong: 0 });
    expect(world.hosts[1]!.door!.counters.forged).toBeGreaterThan(0);
  });

  it('hear nothing of a host with another secret, or without one', async () => {
    const [ours, theirs] = [await keysOf(makeKey('secret')), await keysOf(makeKey('secret'))];
    const { world, sink } = worldOf([theirs, ours]);
    const source = new Source(world, 100);
    source.start(0, 1);
    world.run(20 * SECOND_NS);
    expect(source.closed?.code).toBe('unreachable');
    expect(sink.readers).toEqual([]);
    expect(world.hosts[1]!.door!.handshakes.counters.wrongKeys).toBeGreaterThan(0);
  });

  it('with identities talk to those whom they know', async () => {
    const { keys, peersBut } = identities(2);
    const { world, sink } = worldOf(await Promise.all(keys.map((key) => keysOf(key, peersBut()))));
    const source = new Source(world, 5_000);
    source.start(0, 1);
    world.run(SECOND_NS);
    expect(source.closed).toBeNull();
    expect(sink.readers[0]).toMatchObject({ received: 5_000 });
  });

  it('with identities let no stranger in, and do not call whom they do not know', async () => {
    const { keys, peersBut } = identities(3);
    const hosts = [keysOf(keys[0]!, peersBut()), keysOf(keys[1]!, peersBut(2)), keysOf(keys[2]!, peersBut(0))];
    const { world, sink } = worldOf(await Promise.all(hosts));
    const [stranger, caller] = [new Source(world, 100), new Source(world, 100)];
    stranger.start(0, 2);
    caller.start(1, 2);
    world.run(20 * SECOND_NS);
    expect([stranger.closed?.code, caller.closed?.code]).toEqual(['unreachable', 'refused']);
    expect(sink.readers).toEqual([]);
  });

  it('never send a frame of a flow in plain, and NICs count the sealed ones', async () => {
    const keys = await keysOf(makeKey('secret'));
    const { world } = worldOf([keys, keys]);
    const sizes = new Set<number>();
    world.network = (frame) => {
      sizes.add(frame.length);
      return [0];
    };
    new Source(world, 200_000).start(0, 1);
    world.run(2 * SECOND_NS);
    expect(Math.max(...sizes)).toBe(1_472);
  });
});

describe('a handshake with keys', () => {
  it('is ended by no WELCOME whose bits in the clear were changed on the way', async () => {
    const exchange = keyExchange(await keysOf(makeKey('secret')), () => 'a')!;
    const [ci, cr, other] = [1, 2, 3].map((value) => new Uint8Array(8).fill(value)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    const initiation = exchange.initiate(1, ci)!;
    const { message } = exchange.respond(1, initiation.message, { ci, cr })!;
    expect(initiation.finish(message, ci, other)).toBeNull();
    expect(initiation.finish(message, ci, cr)).not.toBeNull();
  });

  it('that the answerer cannot begin itself takes nothing away where somebody forges a hint', async () => {
    const { keys, peersBut } = identities(2);
    const known = new Peers();
    const caller = keys[0]!;
    if (caller.kind === 'identity') known.add('laptop', caller.identity.public);
    const { world, sink } = worldOf([await keysOf(keys[0]!, peersBut(0)), await keysOf(keys[1]!, known)]);
    // Nobody answers what the hint leads to: the move that host 1 tries is over after three times.
    world.network = (frame) => (kindOf(frameType(frame.bytes)).name === 'PATH_MOVED' ? [] : [0]);
    const source = new Source(world, 20_000_000);
    source.start(0, 1);
    world.run(0.3 * SECOND_NS);
    const hint = new Frame(new Uint8Array(64));
    hint.length = NoAssociation.encode(hint.bytes, { destination: 0, source: 0, flowId: 0 }, {}, crc32);
    world.inject(hint, 0, 1);
    world.run(10 * SECOND_NS);
    expect(world.hosts[1]!.door!.handshakes.counters.unasked).toBe(1);
    expect(source.closed).toBeNull();
    expect(sink.readers[0]).toMatchObject({ received: 20_000_000, wrong: 0, closed: null });
  });
});

describe('a proof of an attachment', () => {
  it('with a key is of this frame, this process and this key alone', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'xpass-keys-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const [path, other] = ['a.key', 'b.key'].map((name) => join(directory, name)) as [string, string];
    await writeKeyFile(path, makeKey('secret'));
    await writeKeyFile(other, makeKey('secret'));
    const [{ proof }, { proof: foreign }] = [await readKeys({ switchKey: path }), await readKeys({ key: other })];
    const nonce = new Uint8Array(8).fill(3);
    const frame = new Frame(new Uint8Array(128));
    const header = { destination: 0, source: 1, flowId: 0 };
    frame.length = Attach.encode(frame.bytes, header, { token: 1, maxFrameBytes: 0, nonce }, null);
    const at = proofAt(frame);
    proof.write(frame.bytes, at, nonce);
    expect(proof.isValid(frame.bytes, at, nonce)).toBe(true);
    expect(foreign.isValid(frame.bytes, at, nonce)).toBe(false);
    expect(
      proof.isValid(
        frame.bytes,
        at,
        nonce.map((byte) => byte + 1),
      ),
    ).toBe(false);
    frame.bytes[at - 1]! ^= 1;
    expect(proof.isValid(frame.bytes, at, nonce)).toBe(false);
  });
});

describe('what options say of keys', () => {
  it.each([
    ['127.0.0.1', false],
    ['::1', false],
    ['0.0.0.0', true],
    ['192.0.2.1', true],
  ])('%s without a key is refused where it is not loopback, and says the two ways out', (host, isRefused) => {
    const open = () => refuseOpenDoor({ listen: { host, port: 1 }, hasKey: false, insecure: false });
    if (isRefused) expect(open).toThrow(/--key FILE .* or say --insecure/);
    else expect(open).not.toThrow();
    expect(() => refuseOpenDoor({ listen: { host, port: 1 }, hasKey: true, insecure: false })).not.toThrow();
    expect(() => refuseOpenDoor({ listen: { host, port: 1 }, hasKey: false, insecure: true })).not.toThrow();
  });

  it('an identity needs peers, and peers an identity', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'xpass-keys-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const [identity, secret, peers] = ['i', 's', 'p'].map((name) => join(directory, name)) as [string, string, string];
    const key = makeKey('identity');
    await writeKeyFile(identity, key);
    await writeKeyFile(secret, makeKey('secret'));
    await writeFile(peers, `a ${key.kind === 'identity' ? formatKey(key.identity.public) : ''}\n`);
    await expect(readKeys({ key: identity })).rejects.toThrow(/--peers FILE/);
    await expect(readKeys({ key: secret, peers })).rejects.toThrow(/--identity/);
    await expect(readKeys({ switchKey: identity })).rejects.toThrow(/shared secret/);
    expect((await readKeys({ key: identity, peers })).peers?.size).toBe(1);
    expect(await readKeys({})).toMatchObject({ own: null, peers: null, ciphers: null });
  });
});

describe('a host with keys whose address changes', () => {
  async function moving() {
    const keys = await keysOf(makeKey('secret'));
    const { rateBps: _, ...changes } = CHANGES;
    const nats = behindNats(1, { keys: () => keyExchange(keys, (peer) => `host-${peer}`), changes });
    const claims: Frame[] = [];
    nats.world.tamper = (copy) => {
      if (kindOf(frameType(copy.bytes)).name !== 'PATH_MOVED') return;
      const kept = new Frame(copy.bytes.slice());
      kept.length = copy.length;
      claims.push(kept);
    };
    const source = new Source(nats.world, 1_000_000);
    source.start(1, SERVER);
    nats.world.run(0.3 * SECOND_NS);
    nats.ports[1] = 2_001;
    nats.said.length = 0;
    nats.world.run(10 * SECOND_NS);
    return { ...nats, source, claims };
  }

  it('goes on with its transfer, and shakes no hands', async () => {
    const { world, said, sink, source, server } = await moving();
    expect(source.closed).toBeNull();
    expect(sink.readers[0]).toMatchObject({ received: 1_000_000, wrong: 0, closed: null });
    expect(said.filter(({ name }) => name === 'HELLO' || name === 'WELCOME')).toEqual([]);
    expect(server.paths.counters).toMatchObject({ moves: 1, forged: 0 });
    expect(doorOf(world, 1).paths.counters.ownMoves).toBe(1);
  });

  it('is not moved by its own claim that somebody says again from elsewhere, whole or changed', async () => {
    const { world, table, claims, server } = await moving();
    const stranger = table.number('203.0.113.9', 9, world.nowNs);
    expect(claims.length).toBeGreaterThan(0);
    const { challenges } = server.paths.counters;
    for (const claim of claims) {
      for (const at of [-1, ...claim.bytes.keys()].filter((each) => each < claim.length)) {
        const frame = new Frame(claim.bytes.slice());
        frame.length = claim.length;
        frame.peer = stranger;
        if (at >= 0) frame.bytes[at] ^= 1;
        server.admit(frame, world.nowNs);
      }
    }
    expect(server.paths.counters).toMatchObject({ moves: 1, challenges });
    expect(server.paths.counters.forged).toBeGreaterThan(0);
  });
});
