import { lstat, readdir } from 'node:fs/promises';
import { usageFailure } from '../../base/failure.js';

const SPECIAL = /[*?[]/;

/**
 * The paths that a pattern names, in their order: `*`, `?` and `[a-z]` within one component, for shells that leave them alone. A file of that very name wins.
 * Names with a leading dot need one in the pattern. Throws a usage Failure when nothing fits.
 */
export async function expandPattern(pattern: string): Promise<string[]> {
  if (!SPECIAL.test(pattern) || (await isThere(pattern))) return [pattern];
  let paths = [pattern.startsWith('/') ? '/' : ''];
  for (const component of pattern.split('/').filter((part) => part !== '')) {
    const found = await Promise.all(paths.map((path) => below(path, component)));
    paths = found.flat();
  }
  if (paths.length === 0) throw usageFailure(`'${pattern}' fits no file`);
  return pattern.endsWith('/') ? paths.map((path) => `${path}/`) : paths;
}

async function below(path: string, component: string): Promise<string[]> {
  const joined = (name: string): string => (path === '' || path.endsWith('/') ? path + name : `${path}/${name}`);
  if (!SPECIAL.test(component)) return (await isThere(joined(component))) ? [joined(component)] : [];
  const expression = expressionOf(component);
  const names = await readdir(path === '' ? '.' : path).catch(() => []);
  return names
    .filter((name) => isShown(name, component) && expression.test(name))
    .sort()
    .map(joined);
}

function isShown(name: string, component: string): boolean {
  return !name.startsWith('.') || component.startsWith('.');
}

/** A bracket without its end stands for itself, as in shells. */
export function expressionOf(component: string): RegExp {
  const source = component.replace(/\[(!?)([^\]]+)\]|[\s\S]/gu, (part: string, not?: string, set?: string) => {
    if (set !== undefined) return `[${not === '!' ? '^' : ''}${set.replace(/[\\^[]/g, '\\$&')}]`;
    if (part === '*') return '[^/]*?';
    if (part === '?') return '[^/]';
    return part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  });
  try {
    return new RegExp(`^${source}$`, 'u');
  } catch {
    throw usageFailure(`'${component}' is no pattern; allowed: *, ? and [a-z]`);
  }
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
