/** Makes the file of the worker; resolves with its path. */
export function buildWorker(): Promise<string>;
/** The program with a counter at each place where it goes one way of several. */
export function withCounters(code: string): string;
