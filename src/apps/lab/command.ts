// Tested by test/apps/cli/commands.test.ts

import { defineCommand } from '../shared/command.js';
import { LAB_OPTIONS } from './options.js';

export const command = defineCommand({
  description:
    'Plays a scenario that `xpass sim` plays in virtual time over processes and sockets of this machine: a switch, and a process for each host that takes part. It measures the same ' +
    'and prints the same, so that the two can be compared (docs/SCENARIOS.md). Leave the machine alone meanwhile.',
  positionals: { label: 'FILE', describe: 'scenario, as YAML or JSON', least: 1, most: 1 },
  options: LAB_OPTIONS,
  examples: [
    { line: 'xpass lab deploy/scenarios/dumbbell-two-flows.yaml', meaning: 'Two flows over one slow link' },
    {
      line: 'xpass lab lab.yaml --set algorithm=naive --set duration=20s --json',
      meaning: 'With other values, and everything as one JSON object',
    },
    {
      line: 'xpass lab lab.yaml --report lab.html --csv lab',
      meaning: 'A page with figures, and the numbers behind it',
    },
    { line: 'xpass lab lab.yaml --web', meaning: 'A page that shows the run and changes links' },
  ],
  // Loaded when it runs, with the shapes of scenarios.
  run: async (invocation) => (await import('./run-lab.js')).runLab(invocation),
});
