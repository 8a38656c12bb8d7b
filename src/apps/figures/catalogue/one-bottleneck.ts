// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts
import type { SimulationRun } from '../../../sim/result.js';
import type { LineChart } from '../../shared/plot/chart.js';
import type { FigureRow } from '../../shared/report/figures-page.js';
import { type BottleneckReference, bottleneckReference } from '../blocks/bottleneck-reference.js';
import { BOTTLENECK, dumbbell } from '../blocks/dumbbell.js';
import { dataDrops, jainOver, linkOf } from '../blocks/link.js';
import { claim, noClaim, rounded, seeds, valueList } from '../blocks/rows.js';
import { RULES, type Rule } from '../blocks/rules.js';
import { mean } from '../blocks/statistics.js';
import type { Figure, FigureChart, FigureTable, Profile, Runs } from '../figure.js';

const FLOWS = [2, 4, 8, 16, 32, 64, 128, 256];
/** To here the reference says what the literal rule and the authors' code have to give, and what our own may waste. */
const SMALL = FLOWS.filter((flows) => flows <= 32);

/** Means over seeds. */
interface Point {
  readonly utilisation: number;
  readonly jain1ms: number;
  readonly jain10ms: number;
  /** The largest of any seed, in the measured time. */
  readonly queueBytes: number;
  /** And since the start of the run, when all flows open at once. */
  readonly queueBytesEver: number;
  readonly dropped: number;
  /** Sum over seeds, at any link. */
  readonly dataDrops: number;
}

type Measured = Readonly<Record<Rule, readonly Point[]>>;

export const oneBottleneck: Figure = {
  name: 'one-bottleneck',
  title: 'One bottleneck: utilisation, fairness, queue and credits',
  source: "Our runs of the authors' ns-2 code; no figure of the papers",
  about: (profile) =>
    `2 to 256 endless flows that start together share one link of 10 Gbit/s, RTT 100 us, initial rate and w_init 0.5. 60 ms, measured from 20 to 60 ms, means over ${seedCount(profile)} seeds. Utilisation is of the data share of the link (1538/1626 with credits of 84 to 92 B); the data queue is the largest of any seed. Lists of values are for ${FLOWS.join(', ')} flows, or as far as they go.

The columns of the authors' code and of the listing taken literally are what shows that the simulator is right: it gives them with endpoints and switches that were written for sockets.`,
  jobs: (profile) =>
    RULES.flatMap((rule) =>
      flowsOf(rule).map((pairs) => ({
        key: key(rule, pairs),
        document: dumbbell({ rule, pairs }),
        seeds: seeds(seedCount(profile)),
      })),
    ),
  evaluate: (runs) => {
    const measured = measure(runs);
    return { charts: charts(measured), rows: rows(measured), tables: [table(measured)] };
  },
};

/** Without feedback every credit of every receiver is an event, and 32 flows show all there is to see. */
function flowsOf(rule: Rule): readonly number[] {
  return rule === 'naive' ? SMALL : FLOWS;
}

function seedCount(profile: Profile): number {
  return profile === 'quick' ? 2 : 10;
}

function key(rule: Rule, flows: number): string {
  return `${rule}-${flows}`;
}

function measure(runs: Runs): Measured {
  const points = RULES.map((rule) => [rule, flowsOf(rule).map((flows) => point(runs.of(key(rule, flows))))]);
  return Object.fromEntries(points) as Measured;
}

function point(runs: readonly SimulationRun[]): Point {
  return {
    utilisation: mean(runs.map(({ result }) => result.utilisation)),
    jain1ms: mean(runs.map((run) => jainOver(run, 1e6))),
    jain10ms: mean(runs.map((run) => jainOver(run, 10e6))),
    queueBytes: Math.max(...runs.map((run) => linkOf(run, BOTTLENECK).dataQueueBytesMax)),
    queueBytesEver: Math.max(...runs.map((run) => linkOf(run, BOTTLENECK).dataQueueBytesMaxEver)),
    dropped: mean(runs.map(({ result }) => result.creditDropShare)),
    dataDrops: runs.reduce((sum, run) => sum + dataDrops(run), 0),
  };
}

type Quantity = Exclude<keyof Point, 'dataDrops' | 'queueBytesEver'>;

const DIGITS: Readonly<Record<Quantity, number>> = {
  utilisation: 3,
  jain1ms: 3,
  jain10ms: 3,
  queueBytes: 0,
  dropped: 2,
};

function rows(measured: Measured): FigureRow[] {
  return [...feedbackRows(measured), ...steadyRows(measured), ...referenceRows(measured), ...otherRows(measured)];
}

/** The paper's rule with its accounting right, and what ours has in common with it. */
function feedbackRows(measured: Measured): FigureRow[] {
  return (['expresspass', 'steady'] as const).flatMap((rule) => {
    const points = measured[rule];
    const lost = points.reduce((sum, each) => sum + each.dataDrops, 0);
    const isShort = points.every(({ queueBytes }, at) => queueBytes <= bottleneckReference(FLOWS[at]).queueBytes);
    return [
      claim(
        list(measured, rule, 'utilisation', 'utilisation'),
        points.every(({ utilisation }) => utilisation >= 0.98),
        { held: 'Held to 0.98 at every number of flows' },
      ),
      claim({ quantity: `${rule}: data frames lost`, paper: '0', authorsCode: '0', ours: String(lost) }, lost === 0, {
        held: 'Held to none',
      }),
      claim(list(measured, rule, 'queueBytes', 'largest data queue once flows run (B)'), isShort, {
        held: "Held to the authors' at every number of flows",
      }),
      openingRow(rule, points),
    ];
  });
}

/** The queue when all flows open in one instant, which is not of data. */
function openingRow(rule: Rule, points: readonly Point[]): FigureRow {
  const reference = FLOWS.map((flows) => bottleneckReference(flows).queueBytes);
  const text = {
    quantity: `${rule}: largest data queue since the start (B)`,
    authorsCode: valueList(reference, 0),
    ours: valueList(
      points.map(({ queueBytesEver }) => queueBytesEver),
      0,
    ),
  };
  const isShort = points.every(({ queueBytesEver }, at) => queueBytesEver <= reference[at]);
  return claim(text, isShort, { held: "Held to the authors' at every number of flows", why: WHY_OPENING });
}

const WHY_OPENING =
  'From 64 flows on both are opening requests that meet in one instant, in which no data is: N - 1 of them at 98 B on the wire here, N - 2 at 84 B there. Ours have 32 bytes of payload, more than fits the smallest Ethernet frame.';

function steadyRows(measured: Measured): FigureRow[] {
  const points = measured.steady;
  const isWithin = (limit: (flows: number) => number, value: (point: Point) => number): boolean =>
    points.every((each, at) => value(each) >= limit(FLOWS[at]));
  const isThrifty = SMALL.every((flows, at) => points[at].dropped <= 1.3 * bottleneckReference(flows).dropped);
  return [
    claim(
      list(measured, 'steady', 'jain1ms', 'Jain over 1 ms'),
      isWithin(
        (flows) => (flows <= 32 ? 0.95 : flows === 64 ? 0.9 : 0),
        ({ jain1ms }) => jain1ms,
      ),
      { held: 'Held to 0.95 to 32 flows and 0.90 at 64; beyond, a flow has few frames in 1 ms' },
    ),
    claim(
      list(measured, 'steady', 'jain10ms', 'Jain over 10 ms'),
      isWithin(
        () => 0.97,
        ({ jain10ms }) => jain10ms,
      ),
      { held: 'Held to 0.97 at every number of flows', why: WHY_JAIN },
    ),
    claim(list(measured, 'steady', 'dropped', 'credits dropped'), isThrifty, {
      held: "Held to 1.3 times the authors' share to 32 flows",
    }),
  ];
}

const WHY_JAIN =
  'In 10 ms the link carries 30 frames of each of 256 flows; if credits are dropped by chance, a part p of them, shares have 1 / (1 + p/30) then: 0.973 at 0.82. Over 100 ms it is met (many-flows).';

/** Columns that have to come out as the authors' code gives them. */
function referenceRows(measured: Measured): FigureRow[] {
  const of = (
    rule: Rule,
    quantity: 'utilisation' | 'jain1ms',
    reference: (each: BottleneckReference) => number,
  ): FigureRow => {
    const tolerance = quantity === 'utilisation' ? 0.03 : 0.07;
    const wanted = FLOWS.map((flows) => reference(bottleneckReference(flows)));
    const isNear = SMALL.every((_, at) => Math.abs(measured[rule][at][quantity] - wanted[at]) <= tolerance);
    const name = quantity === 'utilisation' ? 'utilisation' : 'Jain over 1 ms';
    const text = {
      quantity: `${rule}: ${name}`,
      authorsCode: valueList(wanted, 3),
      ours: values(measured[rule], quantity),
    };
    return claim(text, isNear, { held: `Held to within ${tolerance} to 32 flows`, why: WHY_REFERENCE });
  };
  return [
    of('expresspass-literal', 'utilisation', ({ literal }) => literal[0]),
    of('expresspass-literal', 'jain1ms', ({ literal }) => literal[1]),
    of('expresspass-ns2', 'utilisation', ({ utilisation }) => utilisation),
    of('expresspass-ns2', 'jain1ms', ({ jain1ms }) => jain1ms),
  ];
}

const WHY_REFERENCE =
  'At 16 flows the listing loses some 0.03 less of the link here. Jitter of 10 %, flows that start at random within an RTT, NICs without a meter and lower initial rates change it by 0.003 at most; credits of one size and a token bucket of one credit take 0.005 of it. Where the rest comes from was not found.';

function otherRows(measured: Measured): FigureRow[] {
  const reason = 'Nothing is claimed of it here; it stands beside the others.';
  const naive = FLOWS.flatMap((flows) => bottleneckReference(flows).naive ?? []);
  const naiveRow = noClaim(
    {
      quantity: 'naive: utilisation',
      authorsCode: valueList(
        naive.filter((_, at) => at % 2 === 0),
        3,
      ),
      ours: values(measured.naive, 'utilisation'),
    },
    reason,
  );
  const fairness = (['expresspass', 'expresspass-2016', 'naive'] as const).map((rule) =>
    noClaim({ quantity: `${rule}: Jain over 1 ms`, ours: values(measured[rule], 'jain1ms') }, reason),
  );
  return [naiveRow, ...fairness];
}

/** A quantity of a rule beside that of the authors' code. */
function list(measured: Measured, rule: Rule, quantity: Quantity, name: string) {
  const reference = FLOWS.map((flows) => bottleneckReference(flows)[quantity]);
  return {
    quantity: `${rule}: ${name}`,
    authorsCode: valueList(reference, DIGITS[quantity]),
    ours: values(measured[rule], quantity),
  };
}

function values(points: readonly Point[], quantity: Quantity): string {
  return valueList(
    points.map((each) => each[quantity]),
    DIGITS[quantity],
  );
}

function charts(measured: Measured): FigureChart[] {
  return [
    { key: 'utilisation', chart: chart(measured, 'utilisation', { name: 'utilisation of the data share', min: 0.7 }) },
    { key: 'jain', chart: chart(measured, 'jain1ms', { name: "Jain's index over 1 ms", max: 1 }) },
    { key: 'credits', chart: chart(measured, 'dropped', { name: 'share of credits dropped', max: 1 }) },
    { key: 'queue', chart: chart(measured, 'queueBytes', { name: 'largest data queue (B)', scale: 'log10' }) },
  ];
}

function chart(measured: Measured, quantity: Quantity, y: LineChart['y']): LineChart {
  const ours = RULES.map((rule) => ({ name: rule, x: flowsOf(rule), y: measured[rule].map((each) => each[quantity]) }));
  const code = { name: "authors' code", x: FLOWS, y: FLOWS.map((flows) => bottleneckReference(flows)[quantity]) };
  return { kind: 'lines', x: { name: 'flows', scale: 'log2' }, y, series: [...ours, code] };
}

function table(measured: Measured): FigureTable {
  const titles = [
    'rule',
    'flows',
    'utilisation',
    'jain_1ms',
    'jain_10ms',
    'data_queue_bytes_max',
    'credits_dropped',
    'data_drops',
  ];
  const rows = RULES.flatMap((rule) =>
    measured[rule].map((each, at) => [
      rule,
      FLOWS[at],
      rounded(each.utilisation, 4),
      rounded(each.jain1ms, 4),
      rounded(each.jain10ms, 4),
      each.queueBytes,
      rounded(each.dropped, 4),
      each.dataDrops,
    ]),
  );
  return { key: '', titles, rows };
}
