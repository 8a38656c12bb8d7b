// Tested by test/base/failure.test.ts

/** Exit status of a process. 70, our bug, is EX_SOFTWARE of BSD's sysexits.h. A second signal ends it with the shell's 128 + signal number. */
export const ExitCode = {
  done: 0,
  /** The transfer or the check failed. */
  failed: 1,
  /** Wrong usage or configuration. */
  usage: 2,
  /** The peer cannot be reached, or was lost. */
  peer: 3,
  internal: 70,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
