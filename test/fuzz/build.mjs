// Flattens the targets and what they test into one file, with a counter at each place where the program chooses: docs/decisions/0026-fuzzing.md.
import { mkdirSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { build } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { root } from '../../.config/prepare.mjs';

/** In node_modules, so that what it imports is found from there. */
const FOLDER = join(root, 'node_modules', '.cache', 'xpass-fuzz');

/** The file of the worker that runs targets, made anew. */
export async function buildWorker() {
  const { output } = await build({
    cwd: root,
    input: './test/fuzz/fuzz.worker.ts',
    platform: 'node',
    logLevel: 'warn',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    tsconfig: true,
    write: false,
    output: { format: 'esm', codeSplitting: false },
  });
  mkdirSync(FOLDER, { recursive: true });
  // One for each run: another may be reading its own.
  const path = join(FOLDER, `worker-${process.pid}.mjs`);
  writeFileSync(path, withCounters(output[0].code));
  return path;
}

/** The same program with `counter[n]++` where it goes one way of several, in what comes of src/ alone. */
export function withCounters(code) {
  const isOurs = regionsOf(code);
  const inserts = [];
  let count = 0;
  const counter = () => `$edges[${count++}]++`;
  const put = (at, text) => inserts.push({ at, text, order: inserts.length });
  const wrap = ({ start, end }) => {
    put(start, `(${counter()}, `);
    put(end, ')');
  };
  const enter = (node) => {
    if (node.type === 'BlockStatement') put(node.start + 1, ` ${counter()}; `);
    else if (node.type.endsWith('Statement') || node.type.endsWith('Declaration')) {
      put(node.start, `{ ${counter()}; `);
      put(node.end, ' }');
    } else wrap(node);
  };
  walk(parseAst(code, { lang: 'js' }), (node) => {
    if (!isOurs(node.start)) return;
    for (const way of waysOf(node)) enter(way);
    if (node.type === 'SwitchCase' && node.consequent.length > 0) put(node.consequent[0].start, `${counter()}; `);
  });
  if (count === 0) throw new Error('no module of src/ is found in the program: see regionsOf');
  const head = `const $edges = globalThis.xpassEdges = new Uint8Array(${Math.ceil(count / 4) * 4});\n`;
  return head + inserted(code, inserts);
}

/** Of a node that goes one way of several: the ways. */
function waysOf(node) {
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].filter((way) => way !== null);
    case 'LogicalExpression':
      return [node.right];
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'CatchClause':
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
      return [node.body];
    default:
      return [];
  }
}

function walk(node, visit) {
  if (Array.isArray(node)) for (const each of node) walk(each, visit);
  else if (typeof node?.type === 'string') {
    visit(node);
    for (const value of Object.values(node)) if (typeof value === 'object' && value !== null) walk(value, visit);
  }
}

/** rolldown writes `// src/wire/decode.ts`, older ones `//#region src/wire/decode.ts`, in front of each module. */
function regionsOf(code) {
  const starts = [...code.matchAll(/^\/\/(?:#region)? ((?:src|test|\.config)\/\S+\.\w+|\\0\S+)$/gm)].map((match) => [
    match.index,
    match[1].startsWith('src/'),
  ]);
  return (at) => starts.findLast(([start]) => start <= at)?.[1] ?? false;
}

/** What is put at one place stands in the order of the calls, but what closes is inside what closes later: nodes are met from outside to inside. */
function inserted(code, inserts) {
  const closes = ({ text }) => text === ')' || text === ' }';
  const ordered = inserts.sort(
    (a, b) => a.at - b.at || closes(b) - closes(a) || (closes(a) ? b.order - a.order : a.order - b.order),
  );
  let [done, result] = [0, ''];
  for (const { at, text } of ordered) {
    result += code.slice(done, at) + text;
    done = at;
  }
  return result + code.slice(done);
}
