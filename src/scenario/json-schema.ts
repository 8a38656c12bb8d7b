import { z } from 'zod';
import { SCENARIO_SHAPE } from './scenario-shape.js';
import { DEFAULT_TOPOLOGY, EXPLICIT } from './topology-shape.js';

type Schema = z.core.JSONSchema.BaseSchema;

/**
 * The JSON Schema (2020-12) of scenario files, for editors and other programs. It is made from the shapes that read them; what it cannot say, such as whether a
 * host exists, only reading a file finds.
 */
export function scenarioJsonSchema(): object {
  const schema = z.toJSONSchema(SCENARIO_SHAPE, { io: 'input' });
  relax(schema);
  return { title: 'xpass scenario', ...schema };
}

/** Says of unions what the preprocessing before them allows: names that may be left out, and names alone. */
function relax(schema: Schema): void {
  const { oneOf, ...others } = schema;
  for (const inner of Object.values(others)) if (typeof inner === 'object' && inner !== null) relax(inner as Schema);
  if (oneOf === undefined) return;
  const branches = oneOf as Schema[];
  for (const branch of branches) relaxBranch(branch);
  const names = branches.filter(({ required = [] }) => isOnlyTag(required)).map(tagOf);
  delete schema.oneOf;
  // Without a kind several branches may fit.
  schema.anyOf = names.length === 0 ? branches : [{ type: 'string', enum: names }, ...branches];
  for (const branch of branches) branch.required = branch.required?.filter((key) => !isTold(branch, key)) ?? [];
}

function relaxBranch(branch: Schema): void {
  for (const property of Object.values(branch.properties ?? {})) relax(property as Schema);
}

const TAGS = ['kind', 'name'];

function isOnlyTag(required: readonly string[]): boolean {
  return required.every((key) => TAGS.includes(key));
}

/** The word that names a branch. */
function tagOf({ properties = {} }: Schema): string {
  const tags = TAGS.map((key) => properties[key]).filter((each) => typeof each === 'object');
  return String(tags.find((each) => each.const !== undefined)?.const);
}

/** Whether the other keys of a branch say what it is. */
function isTold(branch: Schema, key: string): boolean {
  return key === 'kind' || (key === 'name' && [EXPLICIT, DEFAULT_TOPOLOGY].includes(tagOf(branch)));
}
