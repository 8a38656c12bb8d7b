/**
 * A copy of plain data with its keys as our JSON has them: `kernelDrops` becomes `kernel_drops`. Infinity, which JSON does not have, becomes null.
 * Keys in capitals (codes of the system such as `ECONNREFUSED`) stay as they are.
 */
export function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [snakeKey(key), snakeCase(inner)]));
}

function snakeKey(key: string): string {
  return /^[A-Z_0-9]+$/.test(key) ? key : key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
