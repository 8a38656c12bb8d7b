import { basename, dirname, extname, resolve } from 'node:path';
import { ConfigError } from '../base/config-error.js';
import type { Scenario, SizeDistribution } from '../sim/scenario.js';
import { parseSizeDistribution } from '../sim/traffic/size-distribution.js';
import { type ScenarioChanges, ScenarioText } from './scenario-text.js';
import { readText } from './yaml-file.js';

/** The scenario that a YAML or JSON file describes. Throws a ConfigError that names the file, the line, the field and what is allowed. */
export async function readScenario(path: string, changes: ScenarioChanges = {}): Promise<Scenario> {
  return (await readScenarioFile(path)).scenario(changes);
}

/** A file, for one scenario or many. */
export async function readScenarioFile(path: string): Promise<ScenarioText> {
  return parseScenarioFile(path, await readText(path, `scenario file '${path}'`));
}

/** The same for text that is at hand. */
export async function parseScenarioFile(path: string, source: string): Promise<ScenarioText> {
  const name = basename(path, extname(path));
  return ScenarioText.parse({ path, name, source }, (file, where) => readTable(resolve(dirname(path), file), where));
}

async function readTable(path: string, where: string): Promise<SizeDistribution> {
  const source = await readText(path, `${where}: size table '${path}'`);
  try {
    return parseSizeDistribution(basename(path, extname(path)), source);
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${where}: ${error.message}`) : error;
  }
}
