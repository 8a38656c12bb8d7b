// Tested by test/apps/perf/options.test.ts
import { rate, size } from '../../base/quantities.js';
import type { ValueKind } from '../../base/value-kind.js';

/**
 * Values as iperf3 writes them (https://software.es.net/iperf/invoking.html): in sizes and counts a bare K, M, G or T is a power of 1024, in rates one
 * of 1000.
 */

const POWERS: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3, t: 4 };

/** `128K` is 131,072, `1.5M` 1,572,864; `64KiB` and `1kB` are what size() says. */
export function binarySize(lowest: number, highest?: number): ValueKind<number> {
  const kind = size({ lowest, ...(highest !== undefined && { highest }) });
  return {
    allowed: `${kind.allowed}; K, M, G and T alone are powers of 1024`,
    parse: (text) => {
      const [, number, unit] = /^(\d+(?:\.\d*)?|\.\d+)([kmgt])$/i.exec(text) ?? [];
      if (unit === undefined) return kind.parse(text);
      return kind.parse(String(Math.floor(Number(number) * 1024 ** POWERS[unit.toLowerCase()])));
    },
    format: kind.format,
  };
}

/** What `-b` says; a rate of Infinity is none. */
export interface Bitrate {
  readonly rateBps: number;
  /** Blocks sent at once; 0: one after the other. */
  readonly burst: number;
}

/** RATE or RATE/BURST; a rate of 0 is no limit. */
export const BITRATE: ValueKind<Bitrate> = {
  allowed: 'a rate, such as 10M, 1.5gbit or 0 for no limit; /N behind it sends N blocks at once',
  parse: (text) => {
    const [, written = '', burst = '0'] = /^([^/]+)(?:\/(\d+))?$/.exec(text) ?? [];
    const rateBps = written === '0' ? Number.POSITIVE_INFINITY : rate().parse(written);
    return rateBps === undefined || Number(burst) > MAX_BURST ? undefined : { rateBps, burst: Number(burst) };
  },
  format: ({ rateBps, burst }) => `${rateBps}${burst === 0 ? '' : `/${burst}`}`,
};

/** iperf3's MAX_BURST (src/iperf_api.h). */
const MAX_BURST = 1_000;

/** The units that `-f` fixes; a letter in small is bits, in capitals bytes. */
export const FORMATS = ['k', 'm', 'g', 't', 'K', 'M', 'G', 'T'] as const;
export type Format = (typeof FORMATS)[number];

/** CPU of `-A`: ours, and perhaps the server's. */
export interface Affinity {
  readonly cpu: number;
  readonly serverCpu: number | null;
}

export const AFFINITY: ValueKind<Affinity> = {
  allowed: 'the number of a core, or N,M with that of the server',
  parse: (text) => {
    const [, cpu, serverCpu] = /^(\d{1,4})(?:,(\d{1,4}))?$/.exec(text) ?? [];
    if (cpu === undefined) return undefined;
    return { cpu: Number(cpu), serverCpu: serverCpu === undefined ? null : Number(serverCpu) };
  },
  format: ({ cpu, serverCpu }) => (serverCpu === null ? `${cpu}` : `${cpu},${serverCpu}`),
};

/** strftime(3) of `--timestamps`; nothing behind it: as ctime(3), with a space after it. */
export const TIMESTAMPS: ValueKind<string> = {
  allowed: 'nothing, or a format of strftime, such as %H:%M:%S',
  parse: (text) => text || '%c ',
  format: String,
};

/** iperf3's (its help). */
export const IPERF3_PORT = 5_201;
const MAX_PORT = 65_535;

/** The other program, and the port of its server. */
export interface Comparison {
  readonly port: number;
}

export const COMPARISON: ValueKind<Comparison> = {
  allowed: `iperf3, or iperf3:PORT where its server listens elsewhere than at port ${IPERF3_PORT}`,
  parse: (text) => {
    const match = /^iperf3(?::(\d{1,5}))?$/.exec(text);
    const port = Number(match?.[1] ?? IPERF3_PORT);
    return match !== null && port >= 1 && port <= MAX_PORT ? { port } : undefined;
  },
  format: ({ port }) => `iperf3:${port}`,
};
