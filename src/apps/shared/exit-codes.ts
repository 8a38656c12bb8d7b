// Tested by test/apps/shared/failure.test.ts

/**
 * What a process says when it ends. 70 is EX_SOFTWARE of BSD's sysexits.h: a bug of ours, with a stack on standard error. 130 and 143 are
 * the shell's 128 + signal number, for a second SIGINT or SIGTERM that cuts an orderly end short (signals.ts).
 */
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
