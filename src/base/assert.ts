/** A broken invariant of our own. It is never the network's or the caller's fault, so nothing catches it: the process stops. */
export class AssertionError extends Error {
  /** Always `AssertionError`. */
  override readonly name = 'AssertionError';
}

/** Stops on a bug. Pass a constant message: building one costs on the hot path even when the condition holds. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}
