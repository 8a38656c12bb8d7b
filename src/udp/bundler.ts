import { Bundle } from '../wire/bundle.js';
import type { Frame } from '../wire/frame.js';
import { FrameQueue } from '../wire/frame-queue.js';
import * as layout from '../wire/layout.js';
import type { Datapath } from './datapath.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { MAX_BUNDLE_BYTES, MAX_BUNDLED_BYTES } = layout;

/** Bundles that are being filled at a time (ours): receivers of credits that a switch has at once. One more peer's begins when the oldest of them has gone. */
const OPEN_BUNDLES = 8;
/** Datagrams that may be sent while small frames wait (ours): at 6 us each, a small one waits 0.1 ms at most. */
const PATIENCE_DATAGRAMS = 16;

/**
 * Puts small frames that are due at the same time and go the same way into one datagram: at the speed of the socket credits are half of all frames, and a datagram costs the kernel and Node the same 8 us
 * whatever its size. A frame that is alone is sent as it is. Frames to one peer stay in their order.
 */
export class Bundler {
  /** Frames that have left in bundles, and bundles. */
  bundledFrames = 0;
  bundles = 0;
  private readonly datapath: Datapath;
  /** All peers are one: a connected socket sends to one address. */
  private readonly isConnected: boolean;
  /** Those that are being filled, oldest first. */
  private readonly open: Bundle[] = [];
  private readonly spare: Bundle[] = [];
  /** What the datapath did not take yet. */
  private readonly waiting = new FrameQueue();
  /** Datagrams that have left since the oldest of `open` was begun. */
  private sends = 0;
  private readonly onSent: (frame: Frame) => void;

  /** `onSent`: nobody needs the bytes of a frame that was given to `send` any more. */
  constructor(datapath: Datapath, isConnected: boolean, onSent: (frame: Frame) => void) {
    this.datapath = datapath;
    this.isConnected = isConnected;
    this.onSent = onSent;
  }

  /** The datapath takes nothing at the moment. */
  get isBlocked(): boolean {
    this.pump();
    return this.waiting.length > 0 || this.datapath.isBlocked;
  }

  /** Something waits for the kernel, here or in the datapath: `flush` is to be called again before long. */
  get isHolding(): boolean {
    return this.waiting.length > 0 || this.datapath.isBlocked;
  }

  /** Sends a frame at the next `flush` at the latest; not to be called while blocked. It comes back through `onSent` or the datapath's. */
  send(frame: Frame): void {
    if (frame.length <= MAX_BUNDLED_BYTES) this.gather(frame);
    else {
      const bundle = this.openTo(frame.peer);
      if (bundle !== null) this.close(bundle);
      this.give(frame);
    }
    if (this.sends >= PATIENCE_DATAGRAMS) this.closeAll();
  }

  /** Hands over what was gathered. */
  flush(): void {
    this.closeAll();
    this.pump();
    this.datapath.flush();
  }

  /** The datapath has done with a frame: true when it was a bundle, which is nobody else's. */
  takeBack(frame: Frame): boolean {
    if (!(frame instanceof Bundle)) return false;
    this.spare.push(frame);
    return true;
  }

  private gather(frame: Frame): void {
    let bundle = this.openTo(frame.peer);
    if (bundle !== null && !bundle.hasRoom(frame.length)) {
      this.close(bundle);
      bundle = null;
    }
    bundle ??= this.begin(frame.peer);
    bundle.append(frame);
    this.onSent(frame);
  }

  private openTo(peer: number): Bundle | null {
    const { open } = this;
    for (let at = 0; at < open.length; at++) if (this.isConnected || open[at].peer === peer) return open[at];
    return null;
  }

  private begin(peer: number): Bundle {
    if (this.open.length === OPEN_BUNDLES) this.close(this.open[0]);
    if (this.open.length === 0) this.sends = 0;
    // Spare ones are as many as were open or waiting at a time.
    const bundle = this.spare.pop() ?? new Bundle(Buffer.allocUnsafeSlow(MAX_BUNDLE_BYTES));
    bundle.begin();
    bundle.peer = peer;
    this.open.push(bundle);
    return bundle;
  }

  private close(bundle: Bundle): void {
    const { open } = this;
    for (let at = open.indexOf(bundle) + 1; at < open.length; at++) open[at - 1] = open[at];
    open.length--;
    this.finish(bundle);
  }

  private closeAll(): void {
    for (let at = 0; at < this.open.length; at++) this.finish(this.open[at]);
    this.open.length = 0;
    this.sends = 0;
  }

  private finish(bundle: Bundle): void {
    if (bundle.frames === 1) bundle.unwrap();
    else {
      this.bundles++;
      this.bundledFrames += bundle.frames;
    }
    this.give(bundle);
  }

  /** To the datapath, behind what waits for it. */
  private give(frame: Frame): void {
    this.sends++;
    this.waiting.push(frame);
    this.pump();
  }

  private pump(): void {
    while (this.waiting.length > 0 && !this.datapath.isBlocked) this.datapath.send(this.waiting.shift() as Frame);
  }
}
