// Tested by test/apps/figures/catalogue.test.ts
import type { FigureDocument } from '../figure.js';

/** The credit algorithms that stand side by side, ours first. */
export const RULES = ['steady', 'expresspass', 'expresspass-literal', 'expresspass-ns2', 'expresspass-2016', 'naive'] as const;
export type Rule = (typeof RULES)[number];

/** The reactive systems that the papers compare ExpressPass with, and what the ports of their networks do at 10 Gbit/s. One more is a line here. */
const PORTS = {
  /** K of ExpressPass 2016, section 3.1; g is the default. */
  dctcp: { ecnThreshold: '65frames' },
  /** Target utilisation of 0.95 (ExpressPass 2016, section 3.3); 15 kB as in docs/decisions/0011-reactive-defaults.md. */
  hull: { ecnThreshold: '15kB', phantomDrain: '95%' },
  /** By delay: its ports do nothing. */
  dx: {},
  /** Drop tail. */
  cubic: {},
} as const satisfies Readonly<Record<string, FigureDocument>>;
export type Peer = keyof typeof PORTS;
/** A credit algorithm, or a reactive one in a network of its own. */
export type System = Rule | Peer;

/** Those of the papers' comparisons at scale. */
export const PEERS: readonly Peer[] = ['dctcp', 'hull', 'dx'];
export const PEERS_WITH_CUBIC: readonly Peer[] = [...PEERS, 'cubic'];

export function isPeer(system: System): system is Peer {
  return system in PORTS;
}

/** Settings of the links for a system: none for rules of credits. */
export function portsOf(system: System): FigureDocument {
  return isPeer(system) ? PORTS[system] : {};
}
