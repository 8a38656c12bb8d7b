/** Waits for the line that --hold waits for. Resolves with whether it came: false when the input ended before. */
export function goAhead(input: NodeJS.ReadableStream): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (hasCome: boolean): void => {
      input.removeListener('data', onData);
      resolve(hasCome);
    };
    const onData = (chunk: Buffer | string): void => {
      if (chunk.includes('\n')) settle(true);
    };
    input.on('data', onData);
    input.once('end', () => settle(false));
    input.once('error', () => settle(false));
    // It stays so: the end of the input is still to be seen later, where that ends the process.
    input.resume();
  });
}
