import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { scenarioJsonSchema } from '../../../src/scenario/json-schema.js';
import { parseScenario } from '../../../src/scenario/parse-scenario.js';
import { readScenario } from '../../../src/scenario/scenario-file.js';
import { fieldsOf, type Schema } from '../../harness/schema-fields.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DOCUMENT = readFileSync(join(ROOT, 'docs/SCENARIOS.md'), 'utf8');
const FOLDER = join(ROOT, 'deploy/scenarios');

describe('docs/SCENARIOS.md', () => {
  it('has every field of the format, or docs/SETTINGS.md, to which it leads, has', () => {
    const documents = DOCUMENT + readFileSync(join(ROOT, 'docs/SETTINGS.md'), 'utf8');
    const names = [...new Set(fieldsOf(scenarioJsonSchema() as Schema))];
    expect(names.length).toBeGreaterThan(90);
    expect(names.filter((name) => !documents.includes(`\`${name}\``))).toEqual([]);
  });

  it('has examples that are scenarios, but for the flows that some leave out', () => {
    const blocks = [...DOCUMENT.matchAll(/```yaml\n(.*?)```/gs)].map(([, source]) => source);
    expect(blocks.length).toBeGreaterThan(5);
    for (const source of blocks) {
      const document = parse(source, { schema: 'failsafe' });
      expect(() => parseScenario({ flows: ['pairs'], ...document })).not.toThrow();
    }
  });
});

describe('deploy/scenarios', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

  it.each(files)('has a scenario that can be read: %s', async (name) => {
    const scenario = await readScenario(join(FOLDER, name));
    expect(scenario.name).toBe(name.replace('.yaml', ''));
    expect(readFileSync(join(FOLDER, name), 'utf8')).toMatch(
      /^# yaml-language-server: \$schema=scenario\.schema\.json\n# /,
    );
  });

  it.each(['dumbbell-two-flows', 'incast-8-to-1', 'parking-lot'])(
    'has what a lab can play as well: %s',
    async (name) => {
      const { topology, durationNs, hosts } = await readScenario(join(FOLDER, `${name}.yaml`));
      expect(topology.links.every(({ port }) => port.rateBps === 1e8)).toBe(true);
      expect(durationNs).toBeLessThanOrEqual(10e9);
      expect(hosts.every(({ endpoint }) => endpoint.creditAlgorithm === undefined)).toBe(true);
    },
  );

  it('has one of every fault', async () => {
    const { faults } = await readScenario(join(FOLDER, 'faults.yaml'));
    expect([...new Set(faults.map(({ kind }) => kind))].sort()).toEqual([
      'clock',
      'hostCrash',
      'link',
      'reader',
      'switchRestart',
    ]);
  });
});
