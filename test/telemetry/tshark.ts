import { execFileSync } from 'node:child_process';

/** Why tests by tshark cannot run here; null where they can. */
export const TSHARK_MISSING = missing();

function missing(): string | null {
  try {
    execFileSync('tshark', ['--version'], { stdio: ['ignore', 'ignore', 'ignore'] });
    return null;
  } catch {
    return 'tshark is not installed here';
  }
}

/** What tshark reads of these fields, a row a packet; several values of one field are joined by commas. */
export function tsharkFields(path: string, fields: readonly string[], more: readonly string[] = []): string[][] {
  const wanted = fields.flatMap((field) => ['-e', field]);
  const text = execFileSync('tshark', ['-r', path, ...more, '-T', 'fields', '-E', 'separator=/t', ...wanted], {
    encoding: 'utf8',
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t'));
}
