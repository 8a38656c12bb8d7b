/** Types of node-versions.mjs, for the tests. */
export const NODE_LINES: readonly number[];
export function otherLines(): number[];
export function nodeOfLine(line: number): string | null;
