import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CpuProfile, hotSpots, profileLines } from '../../../src/apps/bench/profile.js';

const frame = (functionName: string, url = '', lineNumber = -1) => ({ functionName, url, lineNumber, columnNumber: 0 });

const PROFILE: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(idle)') },
    { id: 2, callFrame: frame('doSend', 'node:dgram', 632) },
    { id: 3, callFrame: frame('', 'file:///x/dist/udp/machine-loop.js', 97) },
    // The same function by another caller.
    { id: 4, callFrame: frame('doSend', 'node:dgram', 632) },
  ],
  samples: [1, 2, 3, 4, 1],
  timeDeltas: [500, 20, 10, 10, 500],
};

describe('the hot spots of a CPU profile', () => {
  it('are functions by the time in them, whoever calls them, without idle time', () => {
    expect(hotSpots(PROFILE)).toEqual([
      { name: 'doSend node:dgram:633', part: 0.75 },
      { name: '(anonymous) udp/machine-loop.js:98', part: 0.25 },
    ]);
  });

  it('are those of the end, where only that is asked for', () => {
    expect(hotSpots(PROFILE, 515e-6).map(({ name }) => name)).toEqual([
      'doSend node:dgram:633',
      '(anonymous) udp/machine-loop.js:98',
    ]);
    expect(hotSpots(PROFILE, 515e-6)[0].part).toBe(0.5);
    expect(hotSpots(PROFILE, 505e-6)).toEqual([{ name: 'doSend node:dgram:633', part: 1 }]);
  });

  it('have the places of the sources where a map says them', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'xpass-profile-test-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const program = join(directory, 'engine.js');
    // Line 2 of the program is line 3 of the source.
    const map = { version: 3, sources: ['../../src/udp/machine-loop.ts'], names: [], mappings: ';AAEA' };
    await writeFile(`${program}.map`, JSON.stringify(map));
    const callFrame = frame('drain', pathToFileURL(program).href, 1);
    const profile = { nodes: [{ id: 1, callFrame }], samples: [1], timeDeltas: [10] };
    await writeFile(join(directory, 'a.cpuprofile'), JSON.stringify(profile));
    expect((await profileLines(directory, 5)).at(-1)).toBe('100.0 %  drain udp/machine-loop.ts:3');
  });

  it('stand below the path of each profile', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'xpass-profile-test-'));
    try {
      await writeFile(join(directory, 'a.cpuprofile'), JSON.stringify(PROFILE));
      await writeFile(join(directory, 'b.txt'), 'not a profile');
      expect(await profileLines(directory, 5)).toEqual([
        `CPU profiles, for the developer tools of Chrome and of editors: ${directory}`,
        'What takes the time of each in its last 5 s, without that in which it was idle:',
        '',
        join(directory, 'a.cpuprofile'),
        '  self  function',
        '75.0 %  doSend node:dgram:633',
        '25.0 %  (anonymous) udp/machine-loop.js:98',
      ]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
