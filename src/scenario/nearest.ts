/** Finds what somebody probably meant. */

/**
 * The candidate with the fewest edits away from `word`, when those are at most a third of its letters (at least one); undefined when nothing
 * is that near. A third is ours: it forgives one slip in a short word and two in a long one, and does not guess beyond.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestEdits = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const edits = editDistance(word, candidate);
    if (edits < bestEdits) {
      best = candidate;
      bestEdits = edits;
    }
  }
  return best;
}

/** `; did you mean "x"?`, or nothing: the end of a sentence about an unknown word. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? '' : `; did you mean '${meant}'?`;
}

/** Optimal string alignment distance: inserted, removed, changed and swapped neighbouring letters each count one. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = from[i - 1] === to[j - 1] ? 0 : 1;
      let edits = Math.min(row[j - 1] + 1, last[j] + 1, last[j - 1] + change);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwap) edits = Math.min(edits, beforeLast[j - 2] + 1);
      row.push(edits);
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length];
}
