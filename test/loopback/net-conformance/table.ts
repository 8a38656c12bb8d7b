import type { Chapter, Observation, Value } from './case.js';

const INTRODUCTION = `# xpass/net beside node:net

Each row is a case that the tests run against \`node:net\` and against \`xpass/net\`. The second column is what \`node:net\` was seen to do, the third what \`xpass/net\` does where that is something else on purpose.
Events of a socket stand in their order, \`error\` with its code and \`close\` with what it carries. \`npm run docs:conformance\` writes this file, and a test compares it.
`;

/** The whole document: a chapter of cases after the other, with what node:net was seen to do in each. */
export function conformanceTable(chapters: readonly Chapter[], seen: ReadonlyMap<string, Observation>): string {
  const cases = chapters.flatMap((chapter) => chapter.cases);
  const differing = cases.filter(({ differs }) => differs !== undefined).length;
  const sum = `${cases.length} cases: ${cases.length - differing} are the same, ${differing} differ.\n`;
  return [INTRODUCTION, sum, ...chapters.map((chapter) => chapterText(chapter, seen))].join('\n');
}

function chapterText({ title, cases }: Chapter, seen: ReadonlyMap<string, Observation>): string {
  const rows = cases.map(({ name, differs }) => {
    const node = cell(seen.get(name) ?? {});
    return differs === undefined
      ? `| ${name} | ${node} | the same | |`
      : `| ${name} | ${node} | ${cell(differs.ours)} | ${differs.why} |`;
  });
  return `## ${title}\n\n| case | node:net | xpass/net | why |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

function cell(observation: Observation): string {
  const parts = Object.entries(observation).map(([name, value]) => `${name}: ${valueText(value)}`);
  return parts.length === 0 ? '' : `\`${parts.join('; ').replaceAll('|', '\\|')}\``;
}

function valueText(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  return typeof value === 'string' ? value.replaceAll('\n', '\\n').replaceAll('`', "'") : String(value);
}
