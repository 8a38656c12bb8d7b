import type { FlowTrace } from '../../core/flow-trace.js';
import { FlowTracer } from '../../core/flow-tracer.js';
import type { World } from '../../sim/world.js';
import { PORT_DROP_NAMES } from '../../switch/port-statistics.js';
import { Capture, type CaptureSettings, captureSentence } from '../../telemetry/capture/capture.js';
import { QlogFiles, type QlogSettings } from '../../telemetry/qlog/qlog-files.js';

/** What is written of a run. */
export interface WatchSettings {
  readonly capture?: CaptureSettings;
  readonly qlog?: QlogSettings;
}

/** Writes what happens in one world while it is played. Time starts at 0, so the same run gives the same files. */
export class Watch {
  private readonly settings: WatchSettings;
  private readonly said: string[] = [];
  private capture: Capture | null = null;
  private readonly tracers: FlowTracer[] = [];
  private readonly qlog: QlogFiles | null;

  constructor(settings: WatchSettings) {
    this.settings = settings;
    const { qlog } = settings;
    const onEnd = (sentence: string): void => void this.said.push(`the qlog ended: ${sentence}`);
    this.qlog = qlog === undefined ? null : new QlogFiles({ ...qlog, origin: null, onEnd });
  }

  /** Throws a ConfigError or the system's error where a file cannot be written. */
  begin(world: World): void {
    const { capture } = this.settings;
    if (capture !== undefined) this.beginCapture(world, capture);
  }

  /** Hears of the flows of a host; undefined without qlog. */
  get traceOf(): ((hostId: number) => FlowTrace) | undefined {
    const { qlog } = this;
    if (qlog === null) return undefined;
    return (hostId) => {
      const tracer = new FlowTracer(hostId, qlog.openLog);
      this.tracers.push(tracer);
      return tracer;
    };
  }

  /** Sentences for a log. */
  end(): readonly string[] {
    if (this.capture !== null) this.said.push(captureSentence(this.capture.closeNow()));
    for (const tracer of this.tracers) tracer.end();
    if (this.qlog !== null) this.said.push(this.qlog.close());
    return this.said;
  }

  private beginCapture({ network, nics }: World, settings: CaptureSettings): void {
    const { linkDirections: links } = network.fabric;
    const ports = links.map(({ place: { name, link, from, to } }) => ({
      name,
      link,
      description: `from ${from} to ${to}, link ${link}`,
    }));
    const capture = new Capture({
      ...settings,
      ports,
      dropNames: PORT_DROP_NAMES,
      originNs: 0n,
      isSync: true,
      onEnd: (sentence) => this.said.push(`the capture ended: ${sentence}`),
    });
    this.capture = capture;
    links.forEach((direction, port) => {
      const tap = capture.tap(port);
      direction.tap = tap;
      const host = portOfHost(links, direction);
      // What a NIC drops never comes to its link.
      if (host >= 0) nics[host].tap = tap;
    });
  }
}

/** The port of the host whose NIC sends into a direction; -1 for a switch's. The way back leads to that port. */
function portOfHost(
  links: World['network']['fabric']['linkDirections'],
  { place, index }: { readonly place: { readonly hasPort: boolean }; readonly index: number },
): number {
  return place.hasPort ? -1 : links[index ^ 1].exitPort;
}
