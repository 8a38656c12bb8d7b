import { displayCount, displayDuration } from '../shared/display.js';
import type { FuzzTotals, SeedFinding } from './fuzz-all.js';

/** The result of a run. */
export interface FuzzReport extends FuzzTotals {
  readonly firstSeed: number;
  readonly frames: number;
  readonly wallS: number;
  /** Where the smallest worlds were written, by seed. */
  readonly files: ReadonlyMap<number, string>;
}

export function reportJson(report: FuzzReport): object {
  const { worlds, firstSeed, frames, simulatedNs, events, wallS, findings, files } = report;
  return {
    seeds: worlds,
    first_seed: firstSeed,
    frames,
    findings: findings.map(({ seed, finding }) => ({
      seed,
      check: finding.check,
      sentence: finding.sentence,
      at_s: finding.atNs / 1e9,
      file: files.get(seed) ?? null,
      replay: replayCommand(seed, frames),
    })),
    simulated_s: simulatedNs / 1e9,
    events,
    wall_s: wallS,
    seeds_per_s: worlds / wallS,
  };
}

export function summaryLine({ worlds, firstSeed, simulatedNs, events, wallS, findings }: FuzzReport): string {
  const failed = findings.length === 0 ? 'none broke' : `${findings.length} broke`;
  const seeds = `seeds ${firstSeed} to ${firstSeed + worlds - 1}`;
  const hours = (simulatedNs / 3.6e12).toFixed(2);
  const speed = `${displayCount(worlds / wallS)} seeds/s, ${displayCount(events / wallS)} events/s`;
  return `${worlds} worlds (${seeds}), ${failed}: ${hours} simulated hours in ${displayDuration(wallS * 1e9)}, ${speed}`;
}

/** What there is to know of a world that broke. */
export function findingLines({ seed, finding }: SeedFinding, frames: number, file: string | undefined): string[] {
  const lines = [
    `seed ${seed}: ${finding.sentence} (${finding.check}, at ${displayDuration(finding.atNs)})`,
    `  again: ${replayCommand(seed, frames)}`,
  ];
  if (file !== undefined) lines.push(`  smallest: xpass fuzz --replay ${file}`);
  return lines;
}

function replayCommand(seed: number, frames: number): string {
  return `xpass fuzz --seed ${seed} --frames ${frames}`;
}
