/**
 * Loads a package that may be missing, since it is optional (docs/decisions/0014-peers-of-the-benchmarks.md): there is a binary for some systems only. Returns the module, or one line
 * that says why there is none.
 */
export async function loadPeer<T>(name: string): Promise<T | string> {
  try {
    return (await import(name)) as T;
  } catch (error) {
    const [first] = String(error instanceof Error ? error.message : error).split('\n');
    return `${name} cannot be loaded here: ${first}`;
  }
}
