// Tested by test/scenario/topology-file.test.ts
import { readFile } from 'node:fs/promises';
import { ConfigError } from '../base/config-error.js';
import { failureOf } from '../base/failure.js';
import { YamlText } from './yaml-text.js';

/** The longest file that is read (ours): 10,000 links take less. */
const MAX_FILE_BYTES = 1_048_576;

/** A text file of bounded size. Throws a ConfigError, or a Failure of the system, that names it by `what`. */
export async function readText(path: string, what: string): Promise<string> {
  let source: string;
  try {
    source = await readFile(path, 'utf8');
  } catch (error) {
    throw failureOf(error, what) ?? error;
  }
  if (source.length <= MAX_FILE_BYTES) return source;
  throw new ConfigError(`${what} has ${source.length} bytes: at most ${MAX_FILE_BYTES} are allowed`);
}

/** A YAML file of bounded size. Throws a ConfigError, or a Failure of the system. */
export async function readYaml(path: string, kind: string): Promise<YamlText> {
  return YamlText.parse({ path, kind, source: await readText(path, `${kind} '${path}'`) });
}
