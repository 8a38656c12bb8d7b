import { createHmac, timingSafeEqual } from 'node:crypto';
import { ConfigError } from '../base/config-error.js';
import type { FrameSeal, Initiation, KeyExchange } from '../core/association.js';
import { Opening } from '../core/frame-sealer.js';
import { NoiseHandshake, type NoiseOptions } from '../core/noise.js';
import { type Address, formatAddress, isLoopback } from '../udp/address.js';
import { associationSecret, noisePrimitives } from '../udp/noise-primitives.js';
import { type FrameCiphers, loadFrameCiphers, type MakeGcm } from '../udp/seal/gcm.js';
import { Sealer } from '../udp/seal/sealer.js';
import type { Frame } from '../wire/frame.js';
import { type AttachProof, type Bits64, isSame, NONCE_PROOF, PROOF_BYTES } from '../wire/proofs.js';
import { type HostKey, readKeyFile } from './key-file.js';
import { type Peers, readPeersFile } from './peers-file.js';

/** What both hosts of a handshake agree on beforehand; the initiator's bits follow. PROTOCOL §7.4 */
const PROLOGUE = new TextEncoder().encode('xpass 2');
const PROOF_LABEL = 'xpass 2 attachment';

/** Files with keys, as a host's options name them. */
export interface KeyFiles {
  readonly key?: string | undefined;
  readonly peers?: string | undefined;
  readonly switchKey?: string | undefined;
}

/** What opens all frames of an association with keys, and how the association is known. */
export interface AssociationSecret {
  /** Bits of the handshake, 8 bytes of either end. */
  readonly ci: Bits64;
  readonly cr: Bits64;
  /** 32 bytes, from which the keys of both directions and all key updates follow. */
  readonly secret: Uint8Array;
}

/** What a host or switch has of keys. */
export interface Keys {
  /** Null: the key is no file, and frames are not sealed. */
  readonly own: HostKey | null;
  readonly peers: Peers | null;
  /** Of what is said between a host and its switch. */
  readonly proof: AttachProof;
  /** Who seals; null without a key. */
  readonly ciphers: FrameCiphers | null;
  /** Hears the secret of each association, for a key log. */
  readonly onSecret?: OnSecret | null;
}

export type OnSecret = (association: AssociationSecret) => void;

/** Reads what the options name. Throws a ConfigError or a Failure that names file, line and what is allowed. */
export async function readKeys({ key, peers, switchKey }: KeyFiles): Promise<Keys> {
  const own = key === undefined ? null : await readKeyFile(key);
  if (own?.kind === 'identity' && peers === undefined)
    throw new ConfigError(`key file '${key}' is an identity: name the hosts that it talks to by --peers FILE`, [
      'peers',
    ]);
  if (own?.kind !== 'identity' && peers !== undefined)
    throw new ConfigError(
      `--peers '${peers}' needs an identity: make one by xpass key new --identity, and name it by --key`,
      ['key'],
    );
  const known = peers === undefined ? null : await readPeersFile(peers);
  const shared = switchKey === undefined ? own : await readKeyFile(switchKey);
  if (switchKey !== undefined && shared?.kind !== 'secret')
    throw new ConfigError(`switch key file '${switchKey}' has to be a shared secret: make one by xpass key new`, [
      'switchKey',
    ]);
  return {
    own,
    peers: known,
    proof: shared?.kind === 'secret' ? keyedProof(shared.secret) : NONCE_PROOF,
    ciphers: own === null ? null : await loadFrameCiphers(),
  };
}

/** Who listens to the network without a key has to say that this is meant. Throws a ConfigError that says the two ways out. */
export function refuseOpenDoor(at: { listen: Address; hasKey: boolean; insecure: boolean }): void {
  if (at.hasKey || at.insecure || isLoopback(at.listen)) return;
  throw new ConfigError(
    `${formatAddress(at.listen)} lets in whoever reaches it: give a key by --key FILE (xpass key new makes one), or say --insecure where the network is your own`,
    ['key'],
  );
}

/** HMAC-SHA256 of the frame without its byte 0, and of the process's 64 bits. PROTOCOL §8.3 */
function keyedProof(secret: Uint8Array): AttachProof {
  const digest = (bytes: Uint8Array, at: number, nonce: Bits64) => {
    const hmac = createHmac('sha256', secret).update(PROOF_LABEL).update(nonce);
    return hmac.update(bytes.subarray(1, at)).digest().subarray(0, PROOF_BYTES);
  };
  return {
    write: (bytes, at, nonce) => bytes.set(digest(bytes, at, nonce), at),
    isValid: (bytes, at, nonce) => timingSafeEqual(digest(bytes, at, nonce), bytes.subarray(at, at + PROOF_BYTES)),
  };
}

/** Exchanges of keys of a host; null where it has none. `nameOf`: a peer as people write it, and as the peers file does. */
export function keyExchange(
  { own, peers, ciphers, onSecret = null }: Keys,
  nameOf: (peer: number) => string,
): KeyExchange | null {
  if (own === null || ciphers === null) return null;
  return new NoiseExchange({ own, peers, makeGcm: ciphers.make, onSecret }, nameOf);
}

interface ExchangeParts {
  readonly own: HostKey;
  readonly peers: Peers | null;
  readonly makeGcm: MakeGcm;
  readonly onSecret: OnSecret | null;
}

class NoiseExchange implements KeyExchange {
  private readonly parts: ExchangeParts;
  private readonly nameOf: (peer: number) => string;

  constructor(parts: ExchangeParts, nameOf: (peer: number) => string) {
    this.parts = parts;
    this.nameOf = nameOf;
  }

  initiate(peer: number, ci: Bits64): Initiation | null {
    const { own, peers } = this.parts;
    const answerer = own.kind === 'identity' ? peers?.keyOf(this.nameOf(peer)) : undefined;
    if (own.kind === 'identity' && answerer === undefined) return null;
    const handshake = new NoiseHandshake(this.options(ci, true, answerer));
    const message = handshake.write(new Uint8Array(0));
    if (message === null) return null;
    let said: Uint8Array | null = null;
    return {
      message,
      finish: (answer, _, cr) => {
        // The bits in the clear may be changed on the way: the true ones come again, and the handshake has been read by then.
        if (!handshake.isDone) said = handshake.read(answer);
        if (said === null || !isSame(said, cr)) return null;
        return sealOf(handshake, { ci, cr, isInitiator: true, parts: this.parts });
      },
    };
  }

  respond(_peer: number, message: Uint8Array, { ci, cr }: { ci: Bits64; cr: Bits64 }) {
    const { peers } = this.parts;
    const handshake = new NoiseHandshake(this.options(ci, false));
    if (handshake.read(message) === null) return null;
    // With identities whoever is in the file may call, from wherever.
    if (handshake.peer !== null && peers?.nameOf(handshake.peer) === undefined) return null;
    const answer = handshake.write(cr);
    if (answer === null) return null;
    return { message: answer, seal: sealOf(handshake, { ci, cr, isInitiator: false, parts: this.parts }) };
  }

  private options(ci: Bits64, isInitiator: boolean, answerer?: Uint8Array): NoiseOptions {
    const { own } = this.parts;
    const prologue = new Uint8Array([...PROLOGUE, ...ci]);
    const common = { isInitiator, prologue, primitives: noisePrimitives };
    return own.kind === 'secret'
      ? { ...common, pattern: 'NNpsk0', psk: own.secret }
      : { ...common, pattern: 'IK', identity: own.identity, ...(answerer !== undefined && { answerer }) };
  }
}

interface SealParts {
  readonly ci: Bits64;
  readonly cr: Bits64;
  readonly isInitiator: boolean;
  readonly parts: ExchangeParts;
}

function sealOf(handshake: NoiseHandshake, { ci, cr, isInitiator, parts }: SealParts): FrameSeal {
  const secret = associationSecret(handshake.finish(), ci, cr);
  parts.onSecret?.({ ci, cr, secret });
  return new SealedAssociation(new Sealer({ secret, isInitiator, makeGcm: parts.makeGcm }));
}

/** A sealer as the door uses it. */
class SealedAssociation implements FrameSeal {
  private readonly sealer: Sealer;

  constructor(sealer: Sealer) {
    this.sealer = sealer;
  }

  get isOver(): boolean {
    return this.sealer.isOver;
  }

  seal(frame: Frame): void {
    this.sealer.seal(frame);
  }

  open(frame: Frame): boolean {
    return this.sealer.open(frame) === Opening.opened;
  }

  tryOpen(frame: Frame): boolean {
    const { length } = frame;
    const before = frame.bytes.slice(0, length);
    if (this.open(frame)) return true;
    frame.bytes.set(before);
    frame.length = length;
    return false;
  }

  prove(frame: Frame): boolean {
    return this.tryOpen(frame);
  }

  close(): void {
    this.sealer.close();
  }
}
