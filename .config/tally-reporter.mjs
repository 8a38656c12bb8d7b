// A vitest reporter that names at the end of a run each test that was skipped, with its reason, and each that was not judged.
// For .ci/run it also writes "<passed> <failed>" to the file named by TALLY_FILE, and to RETRY_FILE the arguments, one a line, that run those tests
// again that found the cores busy.
// Everything that went wrong counts as failed, not only tests: a file that does not load, a hook that throws, a stray rejection.
import { writeFileSync } from 'node:fs';

/** How the reason begins of a test that needs idle cores: test/loopback/quiet-cores.ts */
const BUSY = 'busy cores: ';

const count = (items, matches) => [...items].filter(matches).length;
const hasErrors = (item) => item.errors().length > 0;
const isSkipped = (test) => test.result().state === 'skipped' && test.result().note !== undefined;
const foundBusyCores = (test) => isSkipped(test) && test.result().note.startsWith(BUSY);

export default class TallyReporter {
  onTestRunEnd(modules, unhandledErrors) {
    // Those that a name pattern leaves out are skipped too, without a reason.
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const skipped = tests.filter(isSkipped);
    const unjudged = tests.filter((test) => test.annotations().some(({ message }) => message.startsWith(BUSY)));
    list(`${skipped.length} skipped`, skipped, (test) => test.result().note);
    list(`${unjudged.length} ran without a verdict on figures`, unjudged, (test) => test.annotations()[0].message);
    const { TALLY_FILE, RETRY_FILE } = process.env;
    if (TALLY_FILE !== undefined) writeFileSync(TALLY_FILE, `${tally(modules, tests, unhandledErrors).join(' ')}\n`);
    if (RETRY_FILE !== undefined) writeFileSync(RETRY_FILE, retryArguments(tests.filter(foundBusyCores)));
  }
}

function list(title, tests, reason) {
  if (tests.length === 0) return;
  console.log(`${title}:`);
  for (const test of tests) console.log(`  ${test.module.relativeModuleId} > ${test.fullName}: ${reason(test)}`);
}

function tally(modules, tests, unhandledErrors) {
  const stateCount = (...states) => count(tests, (test) => states.includes(test.result().state));
  const suites = modules.flatMap(({ children }) => [...children.allSuites()]);
  const failed = stateCount('failed', 'pending') + count(modules, hasErrors) + count(suites, hasErrors);
  return [stateCount('passed'), failed + unhandledErrors.length];
}

function retryArguments(tests) {
  if (tests.length === 0) return '';
  const files = new Set(tests.map((test) => test.module.relativeModuleId));
  const names = tests.map((test) => nameOf(test).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return [...files, '-t', `^(${names.join('|')})$`].map((argument) => `${argument}\n`).join('');
}

/** As the option -t sees it. */
function nameOf(item) {
  return item.parent.type === 'suite' ? `${nameOf(item.parent)} ${item.name}` : item.name;
}
