/** Begins with the first of `takers`. The others join once one is full when it says that it has done a job. Resolves when all are done. */
export async function spread<T extends { readonly isFull: boolean }>(
  takers: readonly T[],
  begin: (taker: T, onJobDone: () => void) => Promise<void>,
): Promise<void> {
  const [first, ...others] = takers;
  if (first === undefined) return;
  const joined: Promise<void>[] = [];
  const start = (taker: T): Promise<void> =>
    begin(taker, () => {
      if (joined.length === 0 && taker.isFull) joined.push(...others.map(start));
    });
  await start(first);
  await Promise.all(joined);
}
