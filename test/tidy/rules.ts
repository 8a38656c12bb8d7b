import { posix } from 'node:path';
import ts from 'typescript';

/** The rules of the house that need to tell code from comments and strings: they walk the syntax tree. */

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

/**
 * The rules of the house that are about text and file names. Each takes files and returns what is wrong with them, one
 * `path:line: message` a finding; none of them touches the disk, so rules.test.ts can show that each is able to fail.
 *
 * The patterns spell forbidden words with a character class in them (`TOD[O]`), so that they do not find themselves.
 */

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

export type Rule = (files: readonly TextFile[]) => string[];

const MAX_LINES = 500;
const HEADER_LINES = 15;

const isCode = (path: string): boolean =>
  /^(src|test|bin|deploy|\.config|\.ci)\//.test(path) && /\.(ts|mjs|cjs)$/.test(path);

/** Lines that match a pattern, each as a finding. */
function grep({ path, text }: TextFile, pattern: RegExp, message: string): string[] {
  return text.split('\n').flatMap((line, at) => {
    const match = pattern.exec(line);
    return match === null ? [] : [`${path}:${at + 1}: ${message}: ${match[0].trim()}`];
  });
}

export const noLongFiles: Rule = (files) =>
  files
    .filter(({ path }) => isCode(path))
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path}:${lines}: a source file has at most ${MAX_LINES} lines`);

const MAX_COMMENT_CHARACTERS = 160;
const COMMENT = /^\s*(\/\/|\/?\*)/;

export const noWideComments: Rule = (files) =>
  files
    .filter(({ path }) => isCode(path))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, at) => {
        if (line.length <= MAX_COMMENT_CHARACTERS || !COMMENT.test(line)) return [];
        return [`${path}:${at + 1}: a line of a comment has at most ${MAX_COMMENT_CHARACTERS} characters`];
      }),
    );

const UNFINISHED = /\b(TOD[O]|FIXM[E]|XX[X]|HAC[K])\b/;

export const noUnfinishedWork: Rule = (files) =>
  files.filter(({ path }) => isCode(path)).flatMap((file) => grep(file, UNFINISHED, 'unfinished work'));

const SWITCHED_OFF = /\b(it|test|describe|suite|bench)(\.\w+)*\.(ski[p]|onl[y]|tod[o])\b/;

export const noSwitchedOffTests: Rule = (files) =>
  files.filter(({ path }) => path.startsWith('test/')).flatMap((file) => grep(file, SWITCHED_OFF, 'switched-off test'));

const SILENT_SKIP = /\.(skipI[f]|runI[f])\(/;

/** The end of a run names each skipped test with its reason. */
export const skipsSayWhy: Rule = (files) =>
  files
    .filter(({ path }) => path.startsWith('test/'))
    .flatMap((file) =>
      grep(file, SILENT_SKIP, 'skipped without a reason; use `skip(condition, reason)` of the context'),
    );

const SUPPRESSION = /biome-ignor[e]|@ts-(ignor[e]|nochec[k])|eslint-disabl[e]|knip-ignor[e]/;

export const noSuppressions: Rule = (files) =>
  files.filter(({ path }) => isCode(path)).flatMap((file) => grep(file, SUPPRESSION, 'suppressed check'));

const MACHINE_PATH = /(?<![\w.:/-])\/(wor[k]|far[m]|roo[t]|hom[e])\//;
const REGISTRY_HOST = /\bregistr[y]\.[a-z]+\.(org|com)\b/;

export const noTraceOfAMachine: Rule = (files) =>
  files.flatMap((file) => [
    ...grep(file, MACHINE_PATH, 'path of one machine'),
    ...grep(file, REGISTRY_HOST, 'address of a registry'),
  ]);

const PROTOCOL = 'docs/PROTOCOL.md';
const CITATION = /PROTOCOL(?:\.md)? (§\d+(?:\.\d+)*(?:(?:, | and | to )§\d+(?:\.\d+)*)*)/g;

/** A section that the code cites must be one that the specification has. */
export const citedSectionsExist: Rule = (files) => {
  const specification = files.find(({ path }) => path === PROTOCOL)?.text ?? '';
  const sections = new Set([...specification.matchAll(/^#+ §(\d+(?:\.\d+)*)\b/gm)].map((heading) => heading[1]));
  return files
    .filter(({ path }) => isCode(path))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, at) =>
        [...line.matchAll(CITATION)]
          .flatMap((citation) => [...citation[1]!.matchAll(/§([\d.]*\d)/g)])
          .filter((section) => !sections.has(section[1]))
          .map((section) => `${path}:${at + 1}: ${PROTOCOL} has no section §${section[1]}`),
      ),
    );
};

/** A source is tested by the file at the same place under test/, or names the tests that cover it in its first lines. */
export function testsMirrorSources(files: readonly TextFile[], hasRuntimeCode: (file: TextFile) => boolean): string[] {
  const paths = new Set(files.map(({ path }) => path));
  return files
    .filter(({ path }) => /^src\/.*\.ts$/.test(path))
    .flatMap((file) => {
      const named = namedTests(file);
      const absent = named.filter(({ test }) => !paths.has(test));
      if (absent.length > 0) return absent.map(({ test, line }) => `${file.path}:${line}: ${test} does not exist`);
      const mirror = file.path.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts');
      if (named.length > 0 || paths.has(mirror) || !hasRuntimeCode(file)) return [];
      return [`${file.path}:1: neither ${mirror} exists nor does a line "Tested by test/....test.ts" name a test`];
    });
}

function namedTests({ text }: TextFile): { test: string; line: number }[] {
  const header = text.split('\n').slice(0, HEADER_LINES);
  return header.flatMap((line, at) => {
    if (!line.includes('Tested by ')) return [];
    return [...line.matchAll(/test\/[\w./-]+\.test\.ts/g)].map((match) => ({ test: match[0], line: at + 1 }));
  });
}

const TOP_LEVEL =
  /^(package(-lock)?\.json|tsconfig\.json|(src|bin|deploy|test|docs)\/.*|(README|CHANGELOG)\.md|LICENSE|\..*)$/;

export const topLevelIsTidy: Rule = (files) =>
  files.filter(({ path }) => !TOP_LEVEL.test(path)).map(({ path }) => `${path}:1: has no place at the top level`);

const LINK = /\]\(([^()\s]+)\)|^\[[^\]]+\]:\s*(\S+)/g;

export const linksResolve: Rule = (files) => {
  const targets = new Set(['.', ...files.flatMap(({ path }) => ancestry(path))]);
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      withoutCode(text)
        .split('\n')
        .flatMap((line, at) =>
          [...line.matchAll(LINK)]
            .map((match) => match[1] ?? match[2]!)
            .filter((link) => isRelative(link) && !targets.has(target(path, link)))
            .map((link) => `${path}:${at + 1}: the link ${link} leads nowhere`),
        ),
    );
};

const isRelative = (link: string): boolean => !/^([a-z][a-z+.-]*:|#)/i.test(link);

const target = (from: string, link: string): string =>
  posix.join(posix.dirname(from), link.replace(/#.*$/, '')).replace(/\/$/, '');

/** A file and every folder that it is in. */
function ancestry(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** Blanks code blocks and code spans, and keeps the line numbers. */
const withoutCode = (text: string): string =>
  text.replace(/^```[\s\S]*?^```|`[^`\n]*`/gm, (code) => code.replace(/[^\n]/g, ' '));

/** Decisions are numbered without a gap, so that a number names one decision for ever. */
export const decisionsAreNumbered: Rule = (files) => {
  const decisions = files
    .map(({ path }) => path)
    .filter((path) => path.startsWith('docs/decisions/'))
    .sort();
  return decisions.flatMap((path, at) => {
    const wanted = String(at + 1).padStart(4, '0');
    const name = /^docs\/decisions\/(\d{4})-[a-z0-9]+(-[a-z0-9]+)*\.md$/.exec(path);
    if (name === null) return [`${path}:1: a decision is named NNNN-title.md, in small letters`];
    return name[1] === wanted ? [] : [`${path}:1: should be number ${wanted}`];
  });
};
