import { setTimeout as sleep } from 'node:timers/promises';
import { type Ended, processes, untilSo, within, type XpassRun } from '../switch-lab.js';
import { ChaosBed, laterFile } from './bed.js';
import type { Row, What } from './rows.js';

/** From what happened to the sender's end, beyond the idle timeout and what a stop lasts. Ours: processes that share two cores with others. */
const SLACK_MS = 45_000;
/** The same where the sender gives up: it has only to notice. */
const LOST_SLACK_MS = 20_000;
const WATCH_MS = 50;
const END_MS = 30_000;
const INTERNAL = /internal error|^ {4}at /m;

/** Plays one case; resolves with what is wrong, nothing where all is well. */
export async function playRow(row: Row): Promise<string[]> {
  const bed = await ChaosBed.make(row);
  if (row.what.kind === 'full' && !bed.isMounted) return ['no small disk can be mounted here'];
  const wrong: string[] = [];
  await bed.startSwitch();
  await bed.startDaemon();
  const watch = new Watch(bed);
  try {
    await happen(bed, row, wrong);
    wrong.push(...(await judgeLater(bed)));
  } finally {
    wrong.push(...(await watch.end()));
  }
  wrong.push(...(await judgeEnd(bed, row)));
  return wrong;
}

/** Looks all the time: what has its name is whole from the first moment on, and no process grows beyond its bound. */
class Watch {
  private readonly bed: ChaosBed;
  private readonly wrong = new Set<string>();
  private readonly work: Promise<void>;
  private isOver = false;

  constructor(bed: ChaosBed) {
    this.bed = bed;
    this.work = this.look();
  }

  async end(): Promise<string[]> {
    this.isOver = true;
    await this.work;
    return [...this.wrong];
  }

  private async look(): Promise<void> {
    let isSeen = false;
    while (!this.isOver) {
      if (!isSeen && (await this.bed.published()).includes('chaos.bin')) {
        isSeen = true;
        if (!(await this.bed.hasArrived())) this.wrong.add('what has the name of the file is not the file');
      }
      for (const sentence of this.bed.tooLarge()) this.wrong.add(sentence);
      await sleep(WATCH_MS);
    }
  }
}

/** Starts the sender, lets it happen, waits for the sender's end, and judges what it left. */
async function happen(bed: ChaosBed, row: Row, wrong: string[]): Promise<void> {
  const isBefore = row.when === 'opening' && row.who !== 'sender';
  if (!isBefore) {
    await bed.startSender();
    await bed.untilMoment();
  }
  const healing = begin(bed, row.what);
  // It is waited for below; until then the sender's end tells more.
  healing.catch(() => undefined);
  if (isBefore) {
    if (row.what.kind === 'restart') await healing;
    await bed.startSender();
  }
  const { sender } = bed;
  const isKilled = row.who === 'sender' && (row.what.kind === 'kill' || row.what.kind === 'restart');
  if (!isKilled) wrong.push(...(await judgeEndOf(sender, row)));
  await healing;
  if (row.what.kind === 'rebinding' && bed.portsHeard < 2) wrong.push('no answer came to the new port of the NAT');
  if (isKilled && row.what.kind === 'restart') {
    const again = await bed.sendAgain(bed.file, 1);
    // The first may have come to its end before it was killed: then the name is taken.
    wrong.push(...judgeSender(again, row));
  }
  await heal(bed, row);
  if (!isKilled && (await sender.ended).code === 0 && !(await bed.hasArrived()))
    wrong.push('a file that is sent is not there');
}

/** A sender ends by itself, in time. */
async function judgeEndOf(sender: XpassRun, row: Row): Promise<string[]> {
  const waitsMs = (row.idleS + ('seconds' in row.what ? row.what.seconds : 0)) * 1e3;
  const startMs = performance.now();
  const ended = await within(sender.ended, 'the end of the sender', waitsMs + SLACK_MS);
  const tookMs = performance.now() - startMs;
  const isLate = ended.code === 3 && tookMs > waitsMs + LOST_SLACK_MS;
  return [...judgeSender(ended, row), ...(isLate ? [`the sender gave up after ${Math.round(tookMs)} ms`] : [])];
}

/** Exit code and sentence of a sender that ended by itself. */
function judgeSender({ code, stderr }: Ended, { ends }: Row): string[] {
  const sentences = stderr.split('\n').filter((line) => line.startsWith('xpass send: '));
  const wrong: string[] = [];
  if (code === null || !ends.includes(code))
    wrong.push(`the sender ended with ${code}, not ${ends.join(' or ')}: ${stderr}`);
  if (code !== 0 && sentences.length !== 1) wrong.push(`the sender said ${sentences.length} sentences: ${stderr}`);
  if (INTERNAL.test(stderr)) wrong.push(`the sender has an error of its own: ${stderr}`);
  return wrong;
}

/** Resolves when what happens is over. */
async function begin(bed: ChaosBed, what: What): Promise<void> {
  switch (what.kind) {
    case 'kill':
      await bed.victim.stop('SIGKILL');
      break;
    case 'restart':
      await bed.victim.stop('SIGKILL');
      await restart(bed);
      break;
    case 'stop':
      process.kill(bed.victim.pid!, 'SIGSTOP');
      await sleep(what.seconds * 1e3);
      process.kill(bed.victim.pid!, 'SIGCONT');
      break;
    case 'blackhole':
      await bed.control('link', 'h2', 'down');
      await sleep(what.seconds * 1e3);
      await bed.control('link', 'h2', 'up');
      break;
    case 'impair':
      await bed.control('link', 'h2', ...what.words);
      break;
    case 'files':
      await bed.limitFiles('now');
      break;
    case 'clock':
      process.kill(bed.victim.pid!, 'SIGUSR2');
      break;
    case 'rebinding':
      await bed.rebind();
      break;
    case 'full':
  }
}

async function restart(bed: ChaosBed): Promise<void> {
  if (bed.fabric?.isOver) await bed.startSwitch();
  if (bed.daemon.isOver) await bed.startDaemon();
}

/** Everything is as before; what has ended is started again. */
async function heal(bed: ChaosBed, { what }: Row): Promise<void> {
  if (what.kind === 'impair') {
    const none = what.words.map((word) => (word.endsWith('%') ? '0%' : word));
    await bed.control('link', 'h2', ...none);
  }
  if (what.kind === 'files' && !bed.victim.isOver) await bed.limitFiles(1_024);
  if (what.kind === 'full') bed.makeRoom();
  if (bed.fabric?.isOver) await bed.startSwitch();
  // One that was cut off may be about to end, or to attach again: `judgeLater` tries both.
  if (bed.daemon.isOver) await bed.startDaemon();
}

/** A later transfer works, by a host of its own. */
async function judgeLater(bed: ChaosBed): Promise<string[]> {
  const file = await laterFile();
  for (let attempt = 1; ; attempt++) {
    const { code, stderr } = await bed.sendAgain(file, 3);
    if (code === 0) return (await bed.hasArrived(file)) ? [] : ['a later file is not there'];
    if (attempt === 3) return [`a later transfer ends with ${code}: ${stderr}`];
    if (bed.daemon.isOver) await bed.startDaemon();
    await sleep(1_000);
  }
}

/** All end when they are told to, with status 0, and leave no process. */
async function judgeEnd(bed: ChaosBed, row: Row): Promise<string[]> {
  const wrong: string[] = [];
  const all = [bed.daemon, ...(bed.fabric === null ? [] : [bed.fabric])];
  for (const running of all) {
    const { code, stderr } = await within(running.stop('SIGTERM'), 'the end by SIGTERM', END_MS);
    if (code !== 0) wrong.push(`a process of the case ended with ${code}: ${stderr}`);
    if (INTERNAL.test(stderr)) wrong.push(`a process has an error of its own: ${stderr}`);
  }
  const isLeft = ({ pid, parent }: { pid: number; parent: number }) =>
    bed.pids.includes(pid) || bed.pids.includes(parent);
  const look = async () => (await processes()).filter(isLeft);
  const left = await untilSo(look, (found) => found.length === 0, `processes of ${row.who} that are left`).catch(look);
  return [...wrong, ...left.map(({ command }) => `left: ${command}`)];
}
