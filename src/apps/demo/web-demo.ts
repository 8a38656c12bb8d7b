// Tested by test/loopback/live-page.test.ts
/** The demonstration with a live page: the senders send again and again until Ctrl-C, and the page changes links, senders and algorithm. */
import { ConfigError, checkObject, showValue } from '../../base/config-error.js';
import { displayCount, displayRate, displaySize } from '../../base/display.js';
import { ExitCode } from '../../base/exit-codes.js';
import { ALGORITHM_NAMES } from '../../core/algorithms.js';
import type { LiveFlow } from '../../report/live-data.js';
import type { SwitchReport } from '../../services/control/client.js';
import type { Invocation } from '../shared/command.js';
import type { ChildEvent } from '../shared/companion.js';
import type { LiveLook, LiveSource } from '../shared/web/live-feed.js';
import { liveDirections, liveNodes, livePorts } from '../shared/web/live-switch.js';
import { newRunId, openWeb } from '../shared/web/web-options.js';
import { addDrops, dropCounts } from './drops.js';
import { windowAlgorithmOf } from './mix.js';
import { type Crew, type DemoNetwork, mostSenders, type NetworkValues } from './network.js';
import type { DEMO_OPTIONS } from './options.js';
import { prepare } from './prepare.js';
import { BOTTLENECK } from './recorder.js';
import type { DemoView } from './view.js';

interface WebDemoParts {
  readonly fileBytes: number;
  readonly crew: Crew;
  readonly view: DemoView;
  readonly interrupted: Promise<'interrupted'>;
}

/** Runs until it is interrupted, which is its usual end. */
export async function runWebDemo(
  invocation: Invocation<typeof DEMO_OPTIONS>,
  { fileBytes, crew, view, interrupted }: WebDemoParts,
): Promise<ExitCode> {
  const { options, results, logger } = invocation;
  const prepared = prepare({ given: options, fileBytes, crew, view });
  prepared.catch(() => {});
  try {
    const ready = await Promise.race([prepared, interrupted]);
    if (ready === 'interrupted') return ExitCode.failed;
    const show = new WebDemo(ready.network, ready.values);
    await show.begin();
    const web = await openWeb(options, { source: show, logger, title: show.title });
    view.clear();
    const url = web?.url ?? '';
    if (options.json) results.json({ event: 'listening', web: url });
    else results.line(`live page at ${url}\nCtrl-C ends the demonstration`);
    await crew.roster.unlessLost(interrupted);
    await web?.close();
    const report = await ready.network.control.ports();
    if (options.json) results.json({ event: 'summary', ...summaryOf(report, show.values) });
    else for (const line of summaryLines(report, show.values)) results.line(line);
    ready.network.control.close();
    return ExitCode.done;
  } finally {
    await crew.roster.stop();
    await prepared.then(({ network }) => network.stop()).catch(() => {});
  }
}

const LOOK_FIELDS = ['verb', 'link', 'changes', 'count', 'name'];

/** What the page shows and changes. */
class WebDemo implements LiveSource {
  values: NetworkValues;
  private readonly network: DemoNetwork;
  private readonly run = newRunId();
  private streams: readonly StreamEvent[] = [];
  /** Changes are done one after the other. */
  private changing: Promise<unknown> = Promise.resolve();

  constructor(network: DemoNetwork, values: NetworkValues) {
    this.network = network;
    this.values = values;
  }

  get title(): string {
    return `xpass demo, links of ${displayRate(this.values.linkRate)}`;
  }

  /** Counts what comes from now on. */
  async begin(): Promise<void> {
    await this.network.impair(this.values.loss);
    await this.network.control.reset();
    this.listen();
  }

  async look(): Promise<LiveLook> {
    const report = await this.network.control.ports();
    const { algorithm, senders } = this.values;
    const scene = {
      ...{ title: this.title, run: this.run, flowsAre: 'each sender' },
      nodes: liveNodes(report),
      directions: liveDirections(report.ports),
      controls: {
        links: true,
        senders: { count: senders, most: mostSenders(this.values) },
        algorithm: { name: algorithm.join(','), names: [...new Set([algorithm.join(','), ...ALGORITHM_NAMES])] },
      },
    };
    return { scene, sample: { atMs: report.atNs / 1e6, ports: livePorts(report.ports), flows: this.flows() } };
  }

  change(command: unknown): Promise<object> {
    const done = this.changing.then(() => this.doCommand(command));
    this.changing = done.catch(() => undefined);
    return done;
  }

  private async doCommand(command: unknown): Promise<object> {
    const { verb, link, changes, count, name } = checkObject(command, 'the command', LOOK_FIELDS);
    if (verb === 'set') return this.network.control.request({ verb, link, changes });
    if (verb === 'senders') await this.setSenders(count);
    else if (verb === 'algorithm') await this.setAlgorithm(name);
    else throw new ConfigError(`unknown command ${showValue(verb)}; allowed as verb: set, senders, algorithm`);
    return {};
  }

  private async setSenders(count: unknown): Promise<void> {
    const most = mostSenders(this.values);
    if (!Number.isInteger(count) || (count as number) < 0 || (count as number) > most) {
      throw new ConfigError(`count of the command is ${showValue(count)}; allowed: 0 to ${most}`);
    }
    this.values = { ...this.values, senders: count as number };
    await this.network.setSenders(this.values);
  }

  private async setAlgorithm(name: unknown): Promise<void> {
    const names = String(name).split(',');
    if (!names.every((each) => ALGORITHM_NAMES.includes(each))) {
      throw new ConfigError(`unknown algorithm ${showValue(name)}; allowed: ${ALGORITHM_NAMES.join(', ')}`);
    }
    this.values = { ...this.values, algorithm: names };
    this.streams = [];
    await this.network.setAlgorithm(this.values);
    this.listen();
  }

  private listen(): void {
    this.network.receiver.onEvent((event: ChildEvent) => {
      if (event.event === 'progress') this.streams = event.streams as readonly StreamEvent[];
    });
  }

  private flows(): LiveFlow[] {
    const { senders, algorithm } = this.values;
    const flows = this.streams.flatMap(({ peer, ...stream }) => {
      // Hosts of senders follow the receiver's, which is host 1.
      const index = Number(/\d+$/.exec(peer)?.[0]) - 2;
      if (!(index >= 0 && index < senders)) return [];
      const flow = { bytes: stream.bytes_delivered, rateBps: stream.rate_bps, rttNs: stream.rtt_s * 1e9 };
      const own = windowAlgorithmOf(algorithm, index) ?? stream.algorithm;
      return { name: `sender ${index + 1}`, algorithm: own, ...flow, state: stream.state };
    });
    return flows.sort((a, b) => a.name.localeCompare(b.name));
  }
}

/** One of the receiver's `streams`. */
interface StreamEvent {
  readonly peer: string;
  readonly algorithm: string;
  readonly bytes_delivered: number;
  readonly rate_bps: number;
  readonly rtt_s: number;
  readonly state: Readonly<Record<string, number | null>>;
}

/** What the page has shown in the end, for people and programs. */
function summaryOf({ ports }: SwitchReport, { algorithm, senders }: NetworkValues) {
  const bottleneck = ports.find(({ name }) => name === BOTTLENECK);
  const drops = addDrops(ports.map(dropCounts));
  return {
    algorithm: algorithm.join(','),
    senders,
    data_frames: bottleneck?.data.frames ?? 0,
    data_bytes: bottleneck?.data.wireBytes ?? 0,
    credits_dropped: drops.credits,
    data_dropped: drops.data,
    lost: drops.lost,
  };
}

function summaryLines(report: SwitchReport, values: NetworkValues): string[] {
  const { data_frames: frames, data_bytes: bytes, ...summary } = summaryOf(report, values);
  return [
    `${summary.algorithm}: ${values.senders} senders in the end`,
    `  data to the receiver  ${displayCount(frames)} frames, ${displaySize(bytes)} on the wire`,
    `  credits dropped       ${displayCount(summary.credits_dropped)} by the meters`,
    `  data dropped          ${displayCount(summary.data_dropped)} frames by full queues`,
    `  lost on the links     ${displayCount(summary.lost)} frames of any kind`,
  ];
}
