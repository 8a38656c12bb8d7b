import type { ScenarioChanges } from '../../scenario/scenario-text.js';

/** The command that plays a scenario again, for a shell. */
export function commandLine(
  path: string,
  { sets = [], seed }: ScenarioChanges,
  command: 'sim' | 'lab' = 'sim',
): string {
  const words = ['xpass', command, path, ...sets.flatMap((set) => ['--set', set])];
  if (seed !== undefined) words.push('--seed', String(seed));
  return shellLine(words);
}

/** Words as one types them. */
export function shellLine(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

/** As POSIX shells take it: nothing is special between single quotes but they themselves. */
function quoted(word: string): string {
  return /^[\w./:=,+@%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
