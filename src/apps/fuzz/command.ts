// Tested by test/apps/cli/commands.test.ts and test/apps/fuzz/fuzz.test.ts
import { defineCommand } from '../shared/command.js';
import { FUZZ_OPTIONS } from './options.js';

export const command = defineCommand({
  description:
    'Plays small random worlds in virtual time, with random networks, flows and faults, and looks at every byte, frame, credit and timer after each event. ' +
    'For whoever changes xpass itself: what breaks is made as small as it will go, and written to a file.',
  options: FUZZ_OPTIONS,
  examples: [
    { line: 'xpass fuzz --seeds 10000', meaning: 'Ten thousand worlds, over all cores' },
    { line: 'xpass fuzz --hostile --seeds 1000', meaning: 'A thousand worlds with hosts that break every rule' },
    { line: 'xpass fuzz --hostile --seconds 600', meaning: 'Hosts that go on lying for ten minutes' },
    { line: 'xpass fuzz --seed 765', meaning: 'One world again, by its seed' },
    { line: 'xpass fuzz --replay xpass-fuzz-765.json', meaning: 'The small world that it came to' },
    { line: 'xpass fuzz --judge steady', meaning: 'How fair an algorithm is on 250 random networks' },
  ],
  run: async (invocation) => (await import('./fuzz.js')).runFuzz(invocation),
});
