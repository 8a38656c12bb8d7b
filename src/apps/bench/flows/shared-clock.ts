// Tested by test/apps/bench/flows/message-meter.test.ts

/** Milliseconds of the machine's monotonic clock, which is one for all processes of a machine: `performance.now` counts from the start of each. */
export function sharedMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** Bytes of the time at which a flow was opened, with which its stream begins. */
export const STAMP_BYTES = 8;

/** A message that begins with the time now. */
export function stamped(bytes: number): Uint8Array {
  const message = new Uint8Array(bytes);
  new DataView(message.buffer).setFloat64(0, sharedMs());
  return message;
}
