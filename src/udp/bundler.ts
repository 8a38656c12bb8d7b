import { Bundle } from '../wire/bundle.js';
import { isCredits } from '../wire/credits.js';
import type { Frame } from '../wire/frame.js';
import { MAX_BUNDLE_BYTES, MAX_BUNDLED_BYTES } from '../wire/layout.js';
import type { Datapath } from './datapath.js';

/** Bundles that are filled at a time. Ours: receivers of credits that a switch has at once. For one more peer the oldest of them goes. */
const OPEN_BUNDLES = 8;
/** Datagrams that may be sent while small frames wait. Ours: at 6 us each, a small one waits 0.1 ms at most. */
const PATIENCE_DATAGRAMS = 16;

/** Joins small frames for one address into one datagram, which costs the kernel and Node 8 us whatever its size. Keeps order per peer. */
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
  /** Datagrams that have left since the oldest of `open` was begun. */
  private sends = 0;
  private readonly onSent: (frame: Frame) => void;

  /** `onSent`: nobody needs the bytes of a frame that was given to `send` any more. */
  constructor(datapath: Datapath, isConnected: boolean, onSent: (frame: Frame) => void) {
    this.datapath = datapath;
    this.isConnected = isConnected;
    this.onSent = onSent;
  }

  /** Something waits for the kernel, here or in the datapath: `flush` is to be called again before long. */
  get isHolding(): boolean {
    return this.open.length > 0 || this.datapath.isBlocked;
  }

  /**
   * Sends a frame, at the next `flush` at the latest; it comes back through `onSent` or the datapath's. False while the datapath takes nothing: the frame
   * stays the caller's.
   */
  send(frame: Frame): boolean {
    const { datapath } = this;
    if (datapath.isBlocked) return false;
    if (frame.length <= MAX_BUNDLED_BYTES) this.gather(frame);
    else {
      const bundle = this.openTo(frame.peer);
      if (bundle !== null) {
        this.close(bundle);
        if (datapath.isBlocked) return false;
      }
      this.give(frame);
    }
    if (this.sends >= PATIENCE_DATAGRAMS) this.closeAll();
    return true;
  }

  /** Hands over what was gathered. */
  flush(): void {
    this.closeAll();
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
    if (bundle !== null && !takes(bundle, frame)) {
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

  /** The oldest first, as far as the datapath takes them. */
  private closeAll(): void {
    while (this.open.length > 0 && !this.datapath.isBlocked) this.close(this.open[0]);
    if (this.open.length === 0) this.sends = 0;
  }

  private finish(bundle: Bundle): void {
    if (bundle.frames === 1) bundle.unwrap();
    else {
      this.bundles++;
      this.bundledFrames += bundle.frames;
    }
    this.give(bundle);
  }

  private give(frame: Frame): void {
    this.sends++;
    this.datapath.send(frame);
  }
}

/** One CREDITS at most: a bundle has room for eleven, and to lose it would cost a host that woke late all its credits. */
function takes(bundle: Bundle, { bytes, length }: Frame): boolean {
  return bundle.hasRoom(length) && !(bundle.hasCredits && isCredits(bytes));
}
