// Tested by test/apps/perf/document.test.ts
import { z } from 'zod';

/** The document of a client or a server, for other programs: made into docs/perf.schema.json. What readers of iperf3's do not know may come on top. */

const NUMBER = z.number().nullable();

const SUM = z.looseObject({
  start: z.number(),
  end: NUMBER,
  seconds: NUMBER,
  bytes: z.number(),
  bits_per_second: NUMBER,
  retransmits: NUMBER.optional(),
  sender: z.boolean().optional(),
});

const STREAM = SUM.extend({
  socket: z.number().int(),
  omitted: z.boolean().optional(),
  snd_cwnd: NUMBER.optional(),
  rtt: NUMBER.optional(),
});

const START = z.looseObject({
  connected: z.array(
    z.object({
      socket: z.number().int(),
      local_host: z.string(),
      local_port: z.number().int(),
      remote_host: z.string(),
      remote_port: z.number().int(),
    }),
  ),
  version: z.string().optional(),
  system_info: z.string().optional(),
  timestamp: z.object({ time: z.string(), timesecs: z.number().int() }).optional(),
  connecting_to: z.looseObject({ host: z.string(), port: z.number().int() }).optional(),
  cookie: z.string(),
  target_bitrate: z.number().optional(),
  title: z.string().optional(),
  extra_data: z.string().optional(),
  test_start: z.object({
    protocol: z.literal('UDP'),
    num_streams: z.number().int(),
    blksize: z.number().int(),
    omit: z.number(),
    duration: z.number(),
    bytes: z.number(),
    blocks: z.number(),
    reverse: z.number(),
    bidir: z.number(),
    tos: z.number(),
    target_bitrate: z.number(),
  }),
  xpass: z.looseObject({ direction: z.string(), ignored_options: z.array(z.string()).optional() }),
});

const INTERVAL = z.looseObject({ streams: z.array(STREAM), sum: SUM, sum_bidir_reverse: SUM.optional() });

const CPU = z.object({
  host_total: NUMBER,
  host_user: NUMBER,
  host_system: NUMBER,
  remote_total: NUMBER,
  remote_user: NUMBER,
  remote_system: NUMBER,
});

/** Of --compare. */
const COMPARE = z.looseObject({
  protocol: z.literal('TCP'),
  command: z.string(),
  goodput_bps: NUMBER,
  goodputs_bps: z.array(NUMBER),
  ratio: NUMBER,
  retransmits: NUMBER,
});

/** Empty where the test failed. */
const END = z.looseObject({
  streams: z
    .array(z.looseObject({ sender: STREAM.optional(), receiver: STREAM.optional(), udp: STREAM.optional() }))
    .optional(),
  sum: SUM.optional(),
  sum_sent: SUM.optional(),
  sum_received: SUM.optional(),
  cpu_utilization_percent: CPU.optional(),
  xpass: z
    .looseObject({ goodput_bps: NUMBER, jain: NUMBER, algorithm: z.string(), compare: COMPARE.nullable().optional() })
    .optional(),
});

export const PERF_DOCUMENT_SHAPE = z.looseObject({
  start: START,
  intervals: z.array(INTERVAL),
  end: END,
  server_output_json: z.looseObject({}).optional(),
  error: z.string().optional(),
});

export function perfJsonSchema(): object {
  return { title: 'xpass perf', ...z.toJSONSchema(PERF_DOCUMENT_SHAPE) };
}
