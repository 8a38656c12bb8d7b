/** Log lines of one kind within a second (ours: what a person can read); whoever asks for debug lines wants nearly all. */
const LINES_PER_SECOND = 10;
const DEBUG_LINES_PER_SECOND = 1_000;
const DEBUG_LEVEL = 20;
const FATAL_LEVEL = 60;
const WINDOW_MS = 1_000;
/** Kinds that are told apart; peers may choose words, so the rest counts as one. */
const MAX_KINDS = 64;
const OTHER = 'other';

interface Kind {
  lines: number;
  leftOut: number;
  /** Says that lines were left out, as whoever wrote the first of them. */
  sayLeftOut: ((count: number) => void) | null;
}

/** Lets some lines of each kind pass in a second, and has said how many were left out when the second is over. */
export class LineLimit {
  private readonly kinds = new Map<string, Kind>();
  private timer: NodeJS.Timeout | null = null;

  /** Whether a line may be written now. `sayLeftOut` is called later for those that may not. */
  passes(name: string, level: number, sayLeftOut: (count: number) => void): boolean {
    if (level >= FATAL_LEVEL) return true;
    const kind = this.kindOf(`${level} ${name}`, level);
    this.timer ??= setTimeout(this.endWindow, WINDOW_MS).unref();
    if (++kind.lines <= (level <= DEBUG_LEVEL ? DEBUG_LINES_PER_SECOND : LINES_PER_SECOND)) return true;
    kind.leftOut++;
    kind.sayLeftOut ??= sayLeftOut;
    return false;
  }

  /** Says what was left out so far. */
  readonly endWindow = (): void => {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const kinds = [...this.kinds.values()];
    this.kinds.clear();
    for (const { leftOut, sayLeftOut } of kinds) sayLeftOut?.(leftOut);
  };

  private kindOf(wanted: string, level: number): Kind {
    const name = this.kinds.has(wanted) || this.kinds.size < MAX_KINDS ? wanted : `${level} ${OTHER}`;
    const kind = this.kinds.get(name) ?? { lines: 0, leftOut: 0, sayLeftOut: null };
    this.kinds.set(name, kind);
    return kind;
  }
}

/** What makes lines of one kind: their code, or else their message. */
export function lineKind([first, second]: readonly unknown[]): string {
  if (typeof first === 'string') return first;
  const { code } = (first ?? {}) as { code?: unknown };
  return typeof code === 'string' ? `code ${code}` : String(second);
}
