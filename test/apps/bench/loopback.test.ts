import { describe, expect, it } from 'vitest';
import { coresText, cpuUsPerFrame } from '../../../src/apps/bench/loopback.js';

const CORES = new Map([
  ['server', 0.5],
  ['client', 0.25],
]);

describe('the processor time of a frame', () => {
  it('is that of all processes, or of one', () => {
    const pace = { framesPerSecond: 50_000, cores: CORES };
    expect(cpuUsPerFrame(pace)).toBe(15);
    expect(cpuUsPerFrame(pace, 'client')).toBe(5);
  });

  it('is not a number where it was not measured', () => {
    const pace = { framesPerSecond: 50_000, cores: new Map() };
    expect(cpuUsPerFrame(pace)).toBeNaN();
    expect(cpuUsPerFrame({ ...pace, cores: CORES }, 'switch')).toBeNaN();
  });

  it('is written for each process in cores', () => {
    expect(coresText(CORES)).toBe('cores: server 0.50, client 0.25');
  });
});
