/** The process that something happens to; `link`: the one between the daemon and the switch, both directions. */
export type Who = 'daemon' | 'switch' | 'sender' | 'link';

/** Before the sender is started (or, of the sender itself, while it starts), in the middle of the file, and with a tenth of it to go. */
export type When = 'opening' | 'middle' | 'end';

/**
 * What happens. `rebinding`: the sender's NAT changes its port. `kill` is SIGKILL, `restart` SIGKILL and a start with the same arguments, `stop`
 * SIGSTOP for so many seconds and SIGCONT.
 */
export type What =
  | { readonly kind: 'kill' | 'restart' | 'full' | 'files' | 'rebinding' }
  | { readonly kind: 'stop' | 'blackhole'; readonly seconds: number }
  | { readonly kind: 'impair'; readonly words: readonly string[] }
  | { readonly kind: 'clock'; readonly stepMs: number; readonly isAll: boolean };

/** One case. */
export interface Row {
  readonly who: Who;
  readonly what: What;
  readonly when: When;
  /** Exit codes that the sender may have (README, "Exit codes"). */
  readonly ends: readonly number[];
  /** Without a switch. */
  readonly isDirect: boolean;
  readonly idleS: number;
  readonly fileBytes: number;
  /** Of the set that every `npm test` plays. */
  readonly isUsual: boolean;
}

const [DONE, FAILED, LOST] = [0, 1, 3];
/** What a short blackhole and a short stop do not exceed, and a long one does. */
const IDLE_S = 2;
const PATIENT_S = 15;
/** 1.7 s at 10 Mbit/s: under way while something happens. */
const FILE_BYTES = 2 * 1024 * 1024;
/** For links that lose a third of each direction, on which little gets through. */
const SMALL_BYTES = 200_000;

interface Extra {
  readonly isDirect?: boolean;
  readonly idleS?: number;
  readonly fileBytes?: number;
  readonly isUsual?: boolean;
}

function row(who: Who, what: What, when: When, ends: readonly number[]): Row {
  return { who, what, when, ends, isDirect: false, idleS: IDLE_S, fileBytes: FILE_BYTES, isUsual: false };
}

const usual = (one: Row, extra: Extra = {}): Row => ({ ...one, ...extra, isUsual: true });
const KILL: What = { kind: 'kill' };
const RESTART: What = { kind: 'restart' };
const stop = (seconds: number): What => ({ kind: 'stop', seconds });
const blackhole = (seconds: number): What => ({ kind: 'blackhole', seconds });
const impair = (...words: readonly string[]): What => ({ kind: 'impair', words });
const clock = (stepMs: number, isAll: boolean): What => ({ kind: 'clock', stepMs, isAll });
const HOUR_MS = 3_600_000;
const SLEPT_MS = 30_000;

/** Whoever is killed at the end may have done its part: a file that has its name is whole, and its sender may not know. */
const ANY = [DONE, FAILED, LOST];

/** The whole table; `npm run chaos` plays it, `npm test` the usual ones. */
export const ROWS: readonly Row[] = [
  usual(row('daemon', KILL, 'middle', [LOST])),
  row('daemon', KILL, 'end', ANY),
  row('daemon', KILL, 'opening', [FAILED, LOST]),
  { ...row('daemon', KILL, 'middle', [LOST]), isDirect: true },
  row('switch', KILL, 'opening', [LOST]),
  usual(row('switch', KILL, 'middle', [LOST])),
  row('switch', KILL, 'end', ANY),
  row('sender', KILL, 'opening', []),
  usual(row('sender', KILL, 'middle', [])),
  { ...row('sender', KILL, 'end', []), isDirect: true },

  row('daemon', RESTART, 'opening', [DONE]),
  usual(row('daemon', RESTART, 'middle', ANY), { isDirect: true }),
  row('daemon', RESTART, 'end', ANY),
  usual(row('switch', RESTART, 'middle', ANY), { idleS: PATIENT_S }),
  { ...row('switch', RESTART, 'end', ANY), idleS: PATIENT_S },
  usual(row('sender', RESTART, 'middle', [DONE])),
  row('sender', RESTART, 'end', [DONE, FAILED]),

  usual(row('daemon', stop(5), 'middle', [FAILED, LOST])),
  { ...row('daemon', stop(5), 'middle', [DONE]), idleS: PATIENT_S },
  row('daemon', stop(12), 'end', ANY),
  row('daemon', stop(12), 'opening', [LOST]),
  row('switch', stop(5), 'middle', [FAILED, LOST]),
  { ...row('switch', stop(12), 'middle', [DONE]), idleS: 20 },
  row('sender', stop(5), 'middle', ANY),
  { ...row('sender', stop(5), 'end', [DONE]), idleS: PATIENT_S },
  row('sender', stop(12), 'middle', ANY),

  usual(row('daemon', { kind: 'full' }, 'opening', [FAILED])),
  usual(row('daemon', { kind: 'files' }, 'opening', [FAILED])),
  row('switch', { kind: 'files' }, 'middle', [DONE]),
  row('sender', { kind: 'files' }, 'middle', [DONE]),

  usual(row('link', impair('loss', '5%'), 'opening', [DONE]), { idleS: PATIENT_S }),
  { ...row('link', impair('loss', '30%'), 'middle', [DONE, LOST]), idleS: PATIENT_S, fileBytes: SMALL_BYTES },
  { ...row('link', impair('corrupt', '5%'), 'middle', [DONE]), idleS: PATIENT_S },
  usual(row('link', impair('corrupt', '30%'), 'opening', [DONE, LOST]), { idleS: PATIENT_S, fileBytes: SMALL_BYTES }),
  {
    ...row('link', impair('duplicate', '20%', 'reorder', '20%', 'reorder-delay', '5ms'), 'middle', [DONE]),
    idleS: PATIENT_S,
  },
  usual(row('link', blackhole(2), 'middle', [DONE]), { idleS: PATIENT_S }),
  row('link', blackhole(12), 'middle', [LOST]),
  { ...row('link', blackhole(12), 'end', [DONE]), idleS: 25 },

  usual(row('link', { kind: 'rebinding' }, 'middle', [DONE]), { isDirect: true, idleS: PATIENT_S }),

  usual(row('daemon', clock(HOUR_MS, false), 'middle', [DONE])),
  row('sender', clock(-HOUR_MS, false), 'middle', [DONE]),
  row('switch', clock(-HOUR_MS, false), 'middle', [DONE]),
  row('daemon', clock(SLEPT_MS, true), 'middle', ANY),
  row('sender', clock(SLEPT_MS, true), 'middle', ANY),
  row('switch', clock(SLEPT_MS, true), 'middle', ANY),
];

/** `daemon stop 5 s in the middle, idle timeout 15 s`. */
export function nameOf({ who, what, when, idleS, isDirect }: Row): string {
  const moment = when === 'middle' ? 'in the middle' : `at the ${when}`;
  const details = `idle timeout ${idleS} s${isDirect ? ', without a switch' : ''}`;
  return `${who}: ${whatOf(what)} ${moment}, ${details}`;
}

function whatOf(what: What): string {
  switch (what.kind) {
    case 'stop':
    case 'blackhole':
      return `${what.kind} for ${what.seconds} s`;
    case 'impair':
      return what.words.join(' ');
    case 'clock':
      return `${what.isAll ? 'all clocks' : 'clock of the day'} by ${what.stepMs / 1e3} s`;
    case 'full':
      return 'disk full';
    case 'files':
      return 'no more files';
    default:
      return what.kind;
  }
}
