/**
 * Loads a CommonJS package that xpass does not depend on (docs/decisions/0014-peers-of-the-benchmarks.md). Returns what the module exports, or
 * one line that says why there is none; `install` is what
 * npm is given to install it.
 */
export async function loadPeer<T>(name: string, install: string): Promise<T | string> {
  try {
    const { default: exported } = (await import(name)) as { default: T };
    return exported;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND') {
      return `${name} is not installed: npm install --no-save ${install}`;
    }
    const [first] = String(error instanceof Error ? error.message : error).split('\n');
    return `${name} cannot be loaded here: ${first}`;
  }
}
