/** The rules of the house that need to tell code from comments and strings: they walk the syntax tree. */
import ts from 'typescript';
import type { Rule, TextFile } from './rules.js';

const PURE = /^src\/(base|wire|core|switch|sim)\//;
const FORBIDDEN_MEMBERS = new Set(['Math.random', 'Date.now', 'performance.now']);
const FORBIDDEN_NAMES = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'process',
  'globalThis',
]);

type Judge = (node: ts.Node) => string | undefined;

/** Time and chance come in as arguments: the pure rooms have no clock, no timers, no entropy and no process. */
export const pureRoomsArePure: Rule = (files) =>
  files.filter(({ path }) => PURE.test(path)).flatMap((file) => inspect(file, impurity));

function impurity(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && FORBIDDEN_MEMBERS.has(node.getText())) {
    return `${node.getText()} in a pure room`;
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date') return 'new Date in a pure room';
  if (ts.isIdentifier(node) && FORBIDDEN_NAMES.has(node.text) && !isMemberName(node))
    return `${node.text} in a pure room`;
  return undefined;
}

/** The `process` of `queue.process()` or of `{ process: 1 }` is a name of ours, not the global. */
function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  return 'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
}

/** Forms of the language that the house does without. */
export const noForbiddenSyntax: Rule = (files) =>
  files.filter(({ path }) => /^(src|test)\/.*\.ts$/.test(path)).flatMap((file) => inspect(file, forbiddenForm));

function forbiddenForm(node: ts.Node): string | undefined {
  if (ts.isEnumDeclaration(node)) return 'an enum; use an object and a union of its values';
  if (ts.isExportAssignment(node)) return 'a default export; give it a name';
  if (node.kind === ts.SyntaxKind.DefaultKeyword && ts.isModifier(node)) return 'a default export; give it a name';
  if (node.kind === ts.SyntaxKind.AnyKeyword) return 'the type any; use unknown';
  return undefined;
}

/** Whether anything is left of the file once its types and re-exports are gone: only that can be tested. */
export function hasRuntimeCode({ path, text }: TextFile): boolean {
  return parse(path, text).statements.some(
    (statement) =>
      !ts.isInterfaceDeclaration(statement) &&
      !ts.isTypeAliasDeclaration(statement) &&
      !ts.isImportDeclaration(statement) &&
      !ts.isExportDeclaration(statement),
  );
}

function inspect({ path, text }: TextFile, judge: Judge): string[] {
  const source = parse(path, text);
  const findings: string[] = [];
  const visit = (node: ts.Node): void => {
    const verdict = judge(node);
    if (verdict !== undefined) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      findings.push(`${path}:${line + 1}: ${verdict}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return findings;
}

const parse = (path: string, text: string): ts.SourceFile =>
  ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.TS);
