import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/apps/send/job.js';
import type { SeriesTransfer } from '../../../src/apps/send/series-transfer.js';
import { SmallFiles, spread } from '../../../src/apps/send/small-files.js';
import { Fault } from '../../../src/services/file/fault.js';
import type { Message } from '../../../src/services/file/message.js';
import { filesOffer, MOST_ASKED } from '../../../src/services/file/series-question.js';
import { badVerdict, goodVerdict } from '../../../src/services/file/verdict.js';

const SHA256 = '0a'.repeat(32);
const OTHER = '0b'.repeat(32);

function jobOf(name: string, bytes = 3): Job {
  const header = { name, bytes, offset: 0 };
  const parts: (Uint8Array | null)[] = [new Uint8Array(bytes), null];
  const source = {
    header,
    sha256: SHA256,
    next: () => Promise.resolve(parts.shift() ?? null),
    compare: () => Promise.resolve({ isWhole: false, sha256: null }),
    close: () => Promise.resolve(),
  };
  return { header, open: () => Promise.resolve(source) };
}

function bed(jobs: readonly Job[], answer: (question: Message) => Message, verdict = goodVerdict('there', SHA256)) {
  const questions: Message[] = [];
  let sent = 0;
  const small = new SmallFiles({
    jobs,
    now: () => 0,
    ask: (question) => {
      questions.push(question);
      return Promise.resolve(answer(question));
    },
  });
  const send = async (load: () => Promise<unknown>) => {
    if ((await load()) === null) return null;
    sent++;
    return verdict;
  };
  const series = { send, takeLostFrames: () => 0 } as unknown as SeriesTransfer;
  return { small, series, questions, sent: () => sent };
}

const countOf = ({ files }: Message): number => (files as unknown[]).length;
const jobs = Array.from({ length: MOST_ASKED + 10 }, (_, at) => jobOf(`f${at}`));

describe('small files', () => {
  it('are asked about some hundred at a time, and those that are there are not sent', async () => {
    const answer = (question: Message) =>
      filesOffer(Array.from({ length: countOf(question) }, (_, at) => [SHA256, OTHER, null][at % 3]));
    const { small, series, questions, sent } = bed(jobs, answer);
    const results = await Promise.all(small.jobs.map((job) => small.send(job, series)));
    expect(questions.map(countOf)).toEqual([MOST_ASKED, 10]);
    expect(results.slice(0, 3).map((result) => result?.skipped)).toEqual([true, false, false]);
    expect(sent()).toBe(results.filter((result) => result?.skipped === false).length);
  });

  it('are asked about before their turn comes, and one that has grown large is left to a flow of its own', async () => {
    const { small, series, questions, sent } = bed(jobs, (question) => filesOffer(Array(countOf(question)).fill(null)));
    const grown = Object.assign(small.jobs[0], { read: () => Promise.resolve(null) });
    expect(await small.send(grown, series)).toBeNull();
    expect(sent()).toBe(0);
    expect(questions).toHaveLength(2);
  });

  it('are those of some number, below a size', () => {
    const answer = () => filesOffer([]);
    expect(bed(jobs.slice(0, 7), answer).small.jobs).toEqual([]);
    const large = jobOf('large', 1_048_576);
    const folder = { ...jobOf('folder'), isFolder: true };
    const pipe = jobOf('pipe', 1);
    const endless = { ...pipe, header: { ...pipe.header, bytes: Number.POSITIVE_INFINITY } };
    expect(bed([...jobs.slice(0, 8), large, folder, endless], answer).small.jobs).toEqual(jobs.slice(0, 8));
  });

  it('go one a flow to a receiver of an older version', async () => {
    const unsupported = badVerdict(new Fault('unsupported', 'no such kind'));
    const old = bed(jobs.slice(0, 8), () => unsupported);
    expect(await old.small.send(jobs[0], old.series)).toBeNull();
    expect(old.sent()).toBe(0);
    const { small, series } = bed(
      jobs.slice(0, 8),
      (question) => filesOffer(Array(countOf(question)).fill(null)),
      unsupported,
    );
    expect(await small.send(jobs[0], series)).toBeNull();
  });

  it('fail when the answer makes no sense', async () => {
    const { small, series } = bed(jobs.slice(0, 8), () => filesOffer([SHA256]));
    await expect(small.send(jobs[0], series)).rejects.toThrow('makes no sense');
  });
});

/** Works through 20 jobs with takers of which the first is full from its `fullAt`-th job on; returns who took each. */
async function takersOf(fullAt: number): Promise<string[]> {
  const jobs = Array(20).keys();
  const taken: string[] = [];
  const first = { name: 'first', isFull: false };
  const others = ['second', 'third'].map((name) => ({ name, isFull: true }));
  await spread([first, ...others], async (taker, onJobDone) => {
    for (const _ of jobs) {
      taken.push(taker.name);
      await Promise.resolve();
      first.isFull = taken.length >= fullAt;
      onJobDone();
    }
  });
  return taken;
}

it('leaves all jobs to the first taker that is never full', async () => {
  expect(await takersOf(21)).toEqual(Array(20).fill('first'));
});

it('lets each of the others join once when the first is full', async () => {
  const taken = await takersOf(5);
  expect(taken).toHaveLength(20);
  expect(taken.slice(0, 5)).toEqual(Array(5).fill('first'));
  expect(taken.slice(5, 8).sort()).toEqual(['first', 'second', 'third']);
  const count = (name: string) => taken.filter((taker) => taker === name).length;
  expect(count('second')).toBe(5);
  expect(count('third')).toBe(5);
});

it('has nothing to do without takers', async () => {
  await expect(spread([], () => Promise.reject(new Error('begun')))).resolves.toBeUndefined();
});
