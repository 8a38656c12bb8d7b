// The cases are in net-conformance/, one file a chapter. `npm run docs:conformance` writes the table.
import { describe, expect, it } from 'vitest';
import type { Case, Observation, Subject } from './net-conformance/case.js';
import { ending } from './net-conformance/ending.js';
import { flow } from './net-conformance/flow.js';
import { opening } from './net-conformance/opening.js';
import { processes } from './net-conformance/processes.js';
import { servers } from './net-conformance/servers.js';
import { NODE, XPASS } from './net-conformance/subjects.js';
import { conformanceTable } from './net-conformance/table.js';
import { time } from './net-conformance/time.js';
import { Tools } from './net-conformance/tools.js';
import { values } from './net-conformance/values.js';

const CHAPTERS = [opening, ending, servers, values, flow, time, processes];

async function observe(subject: Subject, each: Case): Promise<Observation> {
  const tools = new Tools(subject);
  try {
    // A copy: lists of events grow on while the sockets are closed.
    return structuredClone(await each.run(subject.net, tools));
  } finally {
    await tools.close();
  }
}

/** What node:net did, by the name of the case. */
const seen = new Map<string, Observation>();

describe.each(CHAPTERS)('$title, by node:net and by xpass/net', ({ cases }) => {
  it.each([...cases])('$name', async (each) => {
    // At the same time: most of a case is waiting, and neither counts the other's streams.
    const [node, ours] = await Promise.all([observe(NODE, each), observe(XPASS, each)]);
    seen.set(each.name, node);
    // An undeclared difference, or a declared one that is gone.
    expect(ours).toEqual(each.differs?.ours ?? node);
    if (each.differs !== undefined) expect(node).not.toEqual(each.differs.ours);
  });
});

describe('the table of conformance', () => {
  it('is in docs as the cases give it', async ({ skip }) => {
    const cases = CHAPTERS.flatMap((chapter) => chapter.cases);
    skip(!cases.every(({ name }) => seen.has(name)), 'only some of the cases ran, or one of them failed');
    await expect(conformanceTable(CHAPTERS, seen)).toMatchFileSnapshot('../../docs/CONFORMANCE.md');
  });
});
