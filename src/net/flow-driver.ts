/** What a flow's handle needs of its host; tests have one in virtual time. */
export interface FlowDriver {
  /** Runs `action` at the host's time, then sends what it has made due. */
  run<T>(action: (nowNs: number) => T): T;
  /** The host's time while it calls its programs, -1 otherwise: then `run` is needed. */
  readonly workingNs: number;
  /** Whether the bytes that a flow's reader is being given are a datagram's own, which nobody writes to again: then they need no copy. */
  ownsBytes?(bytes: Uint8Array): boolean;
}
