import { ConfigError } from '../../../src/base/config-error.js';
import { Failure } from '../../../src/base/failure.js';
import { must } from '../engine/target.js';

/** A sentence that a person reads. Ours: values in it are cut, lists of names too. */
const MOST_SENTENCE = 8_192;

/** What `make` makes; null for what it refuses with a sentence. Any other error is a bug of ours. */
export async function taken<T>(make: () => T | Promise<T>): Promise<T | null> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof ConfigError) && !(error instanceof Failure)) throw error;
    must(error.message.length > 0 && error.message.length < MOST_SENTENCE, `a sentence of ${error.message.length}`);
    return null;
  }
}
