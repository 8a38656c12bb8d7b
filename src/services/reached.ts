// Tested by test/apps/daemon/report.test.ts and test/apps/perf/server-printer.test.ts
/** Where a host takes flows. */
export interface Reached {
  /** The socket's address as people write it. */
  readonly address: string;
  /** The switch's address; null in direct mode. */
  readonly switchAddress: string | null;
  /** This host's id behind the switch; 0 in direct mode. */
  readonly hostId: number;
}

/** The beginning of the line that says so. Behind a switch nobody can reach the socket itself. */
export function whereReached({ address, switchAddress, hostId }: Reached): string {
  if (switchAddress === null) return `listening on ${address}`;
  return `attached to switch ${switchAddress} as host ${hostId}, from ${address}`;
}
