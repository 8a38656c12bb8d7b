import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { scenarioJsonSchema } from '../../src/scenario/json-schema.js';
import { LINK_SETTINGS } from '../../src/switch/link-settings.js';

const PUBLISHED = fileURLToPath(new URL('../../deploy/scenarios/scenario.schema.json', import.meta.url));

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  description?: string;
  $ref?: string;
  $defs?: Record<string, Schema>;
}

const schema = scenarioJsonSchema() as Schema;

/** Every schema below one. */
function* everySchema(from: Schema): Iterable<Schema> {
  yield from;
  const below = [
    ...Object.values(from.properties ?? {}),
    ...(from.anyOf ?? []),
    ...(from.items === undefined ? [] : [from.items]),
  ];
  for (const each of below) yield* everySchema(each);
}

describe('the JSON Schema of scenario files', () => {
  it('is published as the code has it; `xpass sim --schema` writes it', () => {
    expect(readFileSync(PUBLISHED, 'utf8')).toBe(`${JSON.stringify(schema, null, 2)}\n`);
  });

  it('takes what the reader completes: kinds that the other keys tell, and names alone', () => {
    const entries = schema.properties?.flows.items?.anyOf ?? [];
    expect(entries[0]).toEqual({ type: 'string', enum: ['pairs', 'permutation', 'shuffle'] });
    const flow = entries.find(({ properties }) => properties?.kind.const === 'flow');
    expect(flow?.required).toEqual(['from', 'to']);
    const topologies = schema.properties?.topology.anyOf ?? [];
    expect(topologies[0].enum).toContain('fat-tree');
    const named = (name: string) => topologies.find(({ properties }) => properties?.name?.const === name);
    expect(named('explicit')?.required).toEqual(['hosts', 'switches', 'links']);
    expect(named('dumbbell')?.required).toEqual([]);
    expect(named('star')?.required).toEqual(['name']);
    expect(schema.required).toEqual(['flows']);
  });

  it('has unions of which several branches may fit, and a word about every field', () => {
    const fields = [...everySchema(schema)].flatMap(({ properties = {} }) => Object.entries(properties));
    for (const [name, field] of fields) {
      expect(field.oneOf).toBeUndefined();
      const says = field.description ?? field.$ref ?? field.const;
      expect({ name, says }).toEqual({ name, says: expect.any(String) });
    }
    expect(fields.length).toBeGreaterThan(100);
  });

  it('has one definition for each setting of a link', () => {
    expect(Object.keys(schema.$defs ?? {}).sort()).toEqual(
      [...LINK_SETTINGS, { name: 'settings' }].map(({ name }) => `link.${name}`).sort(),
    );
    const faults = schema.properties?.faults.items?.anyOf ?? [];
    expect(faults[0].properties?.loss).toEqual({ $ref: '#/$defs/link.loss' });
  });

  it('lists the words of what takes a few', () => {
    expect(schema.properties?.payload.enum).toEqual(['lengths', 'bytes']);
    expect(schema.properties?.algorithm.enum).toContain('naive');
  });
});
