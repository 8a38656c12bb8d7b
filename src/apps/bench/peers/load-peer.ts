/**
 * Loads a CommonJS package that may be missing, since it is optional (docs/decisions/0014-peers-of-the-benchmarks.md): there is a binary for some systems only. Returns what the module exports, or one line
 * that says why there is none.
 */
export async function loadPeer<T>(name: string): Promise<T | string> {
  try {
    const { default: exported } = (await import(name)) as { default: T };
    return exported;
  } catch (error) {
    const [first] = String(error instanceof Error ? error.message : error).split('\n');
    return `${name} cannot be loaded here: ${first}`;
  }
}
