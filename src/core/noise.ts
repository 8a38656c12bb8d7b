import { assert } from '../base/assert.js';
import { join, NOISE_KEY_BYTES, type NoiseKeyPair, type NoisePrimitives, NoiseState } from './noise-state.js';

type Token = 'e' | 's' | 'ee' | 'es' | 'se' | 'ss' | 'psk';

interface Pattern {
  /** Whether the initiator knows the answerer's static key beforehand. */
  readonly isAnswererKnown: boolean;
  readonly hasPsk: boolean;
  /** The initiator's message and the answer. */
  readonly messages: readonly [readonly Token[], readonly Token[]];
}

/** Noise Protocol Framework, revision 34, sections 7.5 and 9.4. Both are done after one round trip. docs/decisions/0025-sealed-frames.md */
const PATTERNS = {
  /** Both have a shared secret, and no identities. */
  NNpsk0: {
    isAnswererKnown: false,
    hasPsk: true,
    messages: [
      ['psk', 'e'],
      ['e', 'ee'],
    ],
  },
  /** Both have an identity; the answerer learns the initiator's from the first message. */
  IK: {
    isAnswererKnown: true,
    hasPsk: false,
    messages: [
      ['e', 'es', 's', 'ss'],
      ['e', 'ee', 'se'],
    ],
  },
} as const satisfies Record<string, Pattern>;

export type NoisePattern = keyof typeof PATTERNS;

/** Bytes of both messages without payload. */
export const NOISE_MESSAGE_BYTES = { NNpsk0: [48, 48], IK: [96, 48] } as const;

export interface NoiseOptions {
  readonly pattern: NoisePattern;
  readonly isInitiator: boolean;
  /** What both must agree on, such as version and role. */
  readonly prologue: Uint8Array;
  readonly primitives: NoisePrimitives;
  /** NNpsk0: 32 bytes. */
  readonly psk?: Uint8Array;
  /** IK: this host's identity. */
  readonly identity?: NoiseKeyPair;
  /** IK, initiator: the answerer's public key. */
  readonly answerer?: Uint8Array;
}

/** The keys of an association, before anything is sealed with them. */
export interface NoiseKeys {
  /** From the initiator to the answerer, and back. */
  readonly keys: readonly [Uint8Array, Uint8Array];
  /** Same at both ends, different for each handshake. */
  readonly hash: Uint8Array;
}

/** One end of a Noise handshake of two messages: write, read for the initiator; read, write for the answerer. */
export class NoiseHandshake {
  private readonly options: NoiseOptions;
  private readonly tokens: Pattern['messages'];
  private readonly hasPsk: boolean;
  private state: NoiseState;
  private ephemeral: NoiseKeyPair | null = null;
  private remoteEphemeral: Uint8Array | null = null;
  private remoteIdentity: Uint8Array | null = null;
  private next = 0;

  constructor(options: NoiseOptions) {
    const pattern: Pattern = PATTERNS[options.pattern];
    const { identity, answerer, isInitiator, prologue, primitives } = options;
    this.options = options;
    this.tokens = pattern.messages;
    this.hasPsk = pattern.hasPsk;
    assert(!pattern.hasPsk || options.psk?.length === NOISE_KEY_BYTES, 'a handshake with a shared secret has one');
    this.state = new NoiseState(`Noise_${options.pattern}_25519_ChaChaPoly_SHA256`, primitives);
    this.state.mixHash(prologue);
    if (!pattern.isAnswererKnown) return;
    const known = isInitiator ? answerer : identity?.public;
    assert(identity !== undefined && known !== undefined, 'a handshake with identities has them');
    if (isInitiator) this.remoteIdentity = known;
    this.state.mixHash(known);
  }

  /** The peer's public key; null while it is not known, and always without identities. The answerer has to check it before it writes. */
  get peer(): Uint8Array | null {
    return this.remoteIdentity;
  }

  get isDone(): boolean {
    return this.next === this.tokens.length;
  }

  /** The next message; null where the peer's key is one that nobody may have. */
  write(payload: Uint8Array): Uint8Array | null {
    assert(!this.isDone && this.isOwnTurn, 'a handshake writes in its turn');
    let message: Uint8Array = new Uint8Array(0);
    for (const token of this.tokens[this.next]!) {
      const part = this.writeToken(token);
      if (part === null) return null;
      message = join(message, part);
    }
    this.next++;
    return join(message, this.state.encryptAndHash(payload));
  }

  /** The payload of the peer's message; null where it is not what the peer would have written, and then nothing has changed. */
  read(message: Uint8Array): Uint8Array | null {
    assert(!this.isDone && !this.isOwnTurn, 'a handshake reads in its turn');
    const { state, remoteEphemeral, remoteIdentity } = this;
    this.state = state.copy();
    const payload = this.readAll(message);
    if (payload !== null) {
      this.next++;
      return payload;
    }
    this.state = state;
    this.remoteEphemeral = remoteEphemeral;
    this.remoteIdentity = remoteIdentity;
    return null;
  }

  /** What came of it, once it is done. */
  finish(): NoiseKeys {
    assert(this.isDone, 'a handshake that is finished is done');
    return { keys: this.state.split(), hash: this.state.hash };
  }

  private get isOwnTurn(): boolean {
    return (this.next === 0) === this.options.isInitiator;
  }

  /** What the token adds to the message. */
  private writeToken(token: Token): Uint8Array | null {
    if (token === 'e') {
      this.ephemeral = this.options.primitives.makeKeyPair();
      this.mixEphemeral(this.ephemeral.public);
      return this.ephemeral.public;
    }
    if (token === 's') return this.state.encryptAndHash(this.options.identity!.public);
    return this.mixToken(token) ? new Uint8Array(0) : null;
  }

  private readAll(message: Uint8Array): Uint8Array | null {
    let at = 0;
    for (const token of this.tokens[this.next]!) {
      const bytes = this.bytesOf(token);
      if (at + bytes > message.length || !this.readToken(token, message.subarray(at, at + bytes))) return null;
      at += bytes;
    }
    return this.state.decryptAndHash(message.slice(at));
  }

  private bytesOf(token: Token): number {
    if (token === 'e') return NOISE_KEY_BYTES;
    return token === 's' ? NOISE_KEY_BYTES + this.state.tagBytes : 0;
  }

  private readToken(token: Token, part: Uint8Array): boolean {
    if (token === 'e') {
      this.remoteEphemeral = part.slice();
      this.mixEphemeral(this.remoteEphemeral);
      return true;
    }
    if (token !== 's') return this.mixToken(token);
    this.remoteIdentity = this.state.decryptAndHash(part);
    return this.remoteIdentity !== null;
  }

  /** With a shared secret the ephemeral key goes into the key too: section 9.2. */
  private mixEphemeral(publicKey: Uint8Array): void {
    this.state.mixHash(publicKey);
    if (this.hasPsk) this.state.mixKey(publicKey);
  }

  /** False where the two keys give zeros. */
  private mixToken(token: Exclude<Token, 'e' | 's'>): boolean {
    if (token === 'psk') {
      this.state.mixKeyAndHash(this.options.psk!);
      return true;
    }
    const [initiators, answerers] = token;
    const { isInitiator, identity, primitives } = this.options;
    const own = (isInitiator ? initiators : answerers) === 'e' ? this.ephemeral : identity;
    const remote = (isInitiator ? answerers : initiators) === 'e' ? this.remoteEphemeral : this.remoteIdentity;
    const agreed = primitives.agree(own!.secret, remote!);
    if (agreed !== null) this.state.mixKey(agreed);
    return agreed !== null;
  }
}
