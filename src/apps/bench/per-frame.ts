import type { Cores } from './workbench.js';

/** How fast something went, and what its processes used for it. */
export interface Pace {
  readonly framesPerSecond: number;
  readonly cores: Cores;
}

/** Processor time of a data frame and its credit, of one process or of all; NaN where it was not measured. */
export function cpuUsPerFrame({ framesPerSecond, cores }: Pace, role?: string): number {
  const used = [...cores].filter(([name]) => role === undefined || name === role).map(([, cores]) => cores);
  if (used.length === 0) return Number.NaN;
  return (used.reduce((sum, cores) => sum + cores, 0) * 1e6) / framesPerSecond;
}

/** `cores: server 0.98, client 1.00` */
export function coresText(cores: Cores): string {
  return `cores: ${[...cores].map(([role, used]) => `${role} ${used.toFixed(2)}`).join(', ')}`;
}
