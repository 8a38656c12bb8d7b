// A vitest reporter for .ci/run: writes "<passed> <failed>" to the file named by the environment variable TALLY_FILE.
// Everything that went wrong counts as failed, not only tests: a file that does not load, a hook that throws, a stray rejection.
import { writeFileSync } from 'node:fs';

const count = (items, matches) => [...items].filter(matches).length;
const hasErrors = (item) => item.errors().length > 0;

export default class TallyReporter {
  onTestRunEnd(modules, unhandledErrors) {
    let passed = 0;
    let failed = unhandledErrors.length + count(modules, hasErrors);
    for (const { children } of modules) {
      passed += count(children.allTests(), (test) => test.result().state === 'passed');
      failed += count(children.allTests(), (test) => ['failed', 'pending'].includes(test.result().state));
      failed += count(children.allSuites(), hasErrors);
    }
    writeFileSync(process.env.TALLY_FILE, `${passed} ${failed}\n`);
  }
}
