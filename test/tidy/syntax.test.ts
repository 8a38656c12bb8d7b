import { describe, expect, it } from 'vitest';
import { hasRuntimeCode, noForbiddenSyntax, pureRoomsArePure } from './rules.js';

const source = (path: string, text: string) => [{ path, text }];

describe('pureRoomsArePure', () => {
  it.each([
    'const x = Math.random();',
    'const x = Date.now();',
    'const x = performance.now();',
    'const x = new Date();',
    'setTimeout(() => {}, 1);',
    'const x = process.pid;',
    'const x = { process };',
  ])('finds %s', (line) => {
    expect(pureRoomsArePure(source('src/core/a.ts', `// one\n${line}`))).toEqual([
      expect.stringMatching(/^src\/core\/a\.ts:2: .* in a pure room$/),
    ]);
  });

  it('lets comments, strings and names of our own pass', () => {
    const text = "/* Date.now() */ const x = 'Math.random()'; queue.process(); class A { process(): void {} }";
    expect(pureRoomsArePure(source('src/core/a.ts', text))).toEqual([]);
  });

  it('lets the rooms that touch the machine use it', () => {
    expect(pureRoomsArePure(source('src/udp/a.ts', 'setTimeout(f, performance.now());'))).toEqual([]);
  });
});

describe('noForbiddenSyntax', () => {
  it.each([
    'enum A { B }',
    'const enum A { B }',
    'export default 1;',
    'export default function f() {}',
    'let x: any;',
    'let x = y as any[];',
  ])('finds %s', (line) => {
    expect(noForbiddenSyntax(source('src/a.ts', line))).toHaveLength(1);
  });

  it('lets the words pass in comments, strings and switches', () => {
    expect(noForbiddenSyntax(source('src/a.ts', "// any enum\nswitch ('any') { default: }"))).toEqual([]);
  });
});

describe('hasRuntimeCode', () => {
  it('tells types and re-exports from code', () => {
    const types =
      "import type { A } from './a.js'; export interface B extends A {} export type C = B; export { d } from './d.js';";
    expect(hasRuntimeCode({ path: 'src/a.ts', text: types })).toBe(false);
    expect(hasRuntimeCode({ path: 'src/a.ts', text: `${types} export const limit = 1;` })).toBe(true);
  });
});
