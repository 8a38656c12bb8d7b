import { parameter } from '../../base/setting.js';
import type { WindowAlgorithm, WindowAlgorithmDefinition, WindowParameters, WindowSample } from './algorithm.js';
import { Dctcp, dctcp } from './dctcp.js';

/**
 * The sender of HULL (Alizadeh and others, NSDI 2012): DCTCP whose frames leave evenly spaced, since a burst that finds a phantom queue is marked for
 * nothing. The other half is the port's: it marks by a phantom queue (PROTOCOL §9.5). The paper's hardware pacer follows the rate at which it is fed;
 * here the rate is the window over the smoothed RTT, `pacing_gain` times, so that the pacer never holds a growing window back.
 */
class Hull implements WindowAlgorithm {
  readonly name = 'hull';
  private readonly dctcp: Dctcp;
  private readonly gain: number;
  private gapNs = 0;

  constructor(parameters: WindowParameters) {
    this.dctcp = new Dctcp(parameters);
    this.gain = parameters.pacing_gain;
  }

  get windowFrames(): number {
    return this.dctcp.windowFrames;
  }

  get pacingGapNs(): number {
    return this.gapNs;
  }

  update(sample: WindowSample): void {
    this.dctcp.update(sample);
    // In slow start a window's worth leaves within half an RTT: the window doubles in each.
    const gain = this.dctcp.window.isSlowStart ? Math.max(2, this.gain) : this.gain;
    this.gapNs = sample.smoothedRttNs / (gain * this.dctcp.windowFrames);
  }

  state(): Record<string, number> {
    return { ...this.dctcp.state(), pacing_gap: this.gapNs };
  }
}

export const hull: WindowAlgorithmDefinition = {
  name: 'hull',
  summary: 'HULL: DCTCP with paced frames, for ports that mark by a phantom queue',
  parameters: [
    ...dctcp.parameters,
    parameter('pacing_gain', [1.2, 1, 4], '', {
      meaning: 'rate of the pacer over the window by the smoothed RTT; twice in slow start at least',
      source: 'ours: what Linux takes for TCP (net.ipv4.tcp_pacing_ca_ratio and _ss_ratio)',
    }),
  ],
  create: (_link, parameters) => new Hull(parameters),
};
