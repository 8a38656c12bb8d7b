// Tested by test/loopback/lab.test.ts

/** The system's monotonic clock, ns: the same for all processes of a machine. */
export function systemNs(): number {
  return Number(process.hrtime.bigint());
}
