export interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  $defs?: Record<string, Schema>;
}

/** The names of all fields of a schema, wherever they stand. */
export function fieldsOf({ properties = {}, items, anyOf = [], $defs = {} }: Schema): string[] {
  const below = [
    ...Object.values(properties),
    ...anyOf,
    ...Object.values($defs),
    ...(items === undefined ? [] : [items]),
  ];
  return [...Object.keys(properties), ...below.flatMap(fieldsOf)];
}
