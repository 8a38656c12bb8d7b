import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/base/random.js';
import { corpusFile, readCorpus } from './engine/corpus.js';
import { Mutator } from './engine/mutate.js';
import { bytesOf, type Target } from './engine/target.js';
import { MAX_BYTES, tryInput } from './engine/trial.js';
import { TARGETS, targetNamed } from './targets.js';

const CORPUS = fileURLToPath(new URL('corpus', import.meta.url));
/** Of each target: all of them together take seconds. `npm run fuzz` is for more. */
const MUTATIONS = 40;
const SEED = 25;

function inputsOf(target: Target): Uint8Array[] {
  const known = [...target.seeds(), ...readCorpus(corpusFile(CORPUS, target.name))];
  const mutator = new Mutator(new SeededRandom(SEED), (target.words ?? []).map(bytesOf), target.maxBytes ?? MAX_BYTES);
  const changed = Array.from({ length: MUTATIONS }, () => mutator.mutate(mutator.pick(known), mutator.pick(known)));
  return [new Uint8Array(0), ...known, ...changed];
}

describe('a fuzz target', () => {
  it.each(TARGETS.map(({ name }) => name))(
    '%s holds for its corpus and for some inputs of a fixed seed',
    async (name) => {
      const target = targetNamed(name);
      for (const input of inputsOf(target)) {
        await tryInput(target, input).catch((error: unknown) => {
          throw new Error(`input ${Buffer.from(input).toString('base64')} (base64)`, { cause: error });
        });
      }
    },
  );

  it('has a corpus in the repository', () => {
    const without = TARGETS.filter(({ name }) => readCorpus(corpusFile(CORPUS, name)).length === 0);
    expect(without.map(({ name }) => name)).toEqual([]);
  });
});
