// Tested by test/services/facing-services.test.ts

/**
 * Kinds of messages that answer a stream: no stream begins with one but that which carries it. Nothing answers an answer, or two daemons that face each
 * other would go on for ever; whoever sends one unasked has the stream reset. docs/APPLICATIONS.md, "verdict"
 */
const ANSWER_KINDS: ReadonlySet<string> = new Set([
  'verdict',
  'answers',
  'perf-ready',
  'perf-results',
  'tunnel-open',
  'tunnel-listening',
]);

export function isAnswer(kind: string): boolean {
  return ANSWER_KINDS.has(kind);
}
