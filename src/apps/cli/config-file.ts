import { ConfigError, type Path } from '../../base/config-error.js';
import { suggestion } from '../../scenario/nearest.js';
import { readYaml } from '../../scenario/yaml-file.js';
import { YamlText } from '../../scenario/yaml-text.js';

import type { ConfigEntries } from '../shared/options.js';

const KIND = 'config file';

/**
 * Reads options from a YAML file: a mapping whose keys are long option names without the dashes. A value is a scalar, a list for an option that may be
 * repeated, or a mapping for one of NAME=VALUE. Throws a ConfigError that names the file, the line, the key and what is allowed.
 */
export async function readConfigFile(path: string, allowedKeys: readonly string[]): Promise<ConfigEntries> {
  return entriesOf(await readYaml(path, KIND), allowedKeys);
}

/** The same for text that is at hand. */
export async function parseConfig(file: {
  path: string;
  source: string;
  allowedKeys: readonly string[];
}): Promise<ConfigEntries> {
  return entriesOf(await YamlText.parse({ ...file, kind: KIND }), file.allowedKeys);
}

function entriesOf(file: YamlText, allowedKeys: readonly string[]): ConfigEntries {
  return file.read((document) => {
    const isNothing = document === null || document === '';
    if (!isNothing && !isMapping(document)) {
      throw new ConfigError('has no mapping at its top: write one `option: value` a line');
    }
    const options = isNothing ? [] : Object.entries(document);
    return new Map(
      options.map(([key, value]) => {
        if (allowedKeys.includes(key)) {
          return [key, { texts: textsOf(value, [key]), label: `${key} (${file.path}, line ${file.lineOf([key])})` }];
        }
        const meant = suggestion(key, allowedKeys);
        throw new ConfigError(`has the unknown key '${key}'${meant}; allowed: ${allowedKeys.join(', ')}`, [key]);
      }),
    );
  });
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textsOf(value: unknown, path: Path): string[] {
  if (Array.isArray(value)) return value.map((item) => textOf(item, path));
  if (!isMapping(value)) return [textOf(value, path)];
  return Object.entries(value).map(([name, inner]) => `${name}=${textOf(inner, path)}`);
}

function textOf(value: unknown, path: Path): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  throw new ConfigError('has a value too deep inside: a scalar, a list or a mapping of scalars is allowed', path);
}
