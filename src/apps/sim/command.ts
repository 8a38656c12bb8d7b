// Tested by test/apps/cli/commands.test.ts and test/apps/sim/sim.test.ts
import { defineCommand } from '../shared/command.js';
import { SIM_OPTIONS } from './options.js';

export const command = defineCommand({
  description:
    'Plays a scenario in virtual time, with the same endpoints and switches that run behind sockets: exact, and the same for the same seed on every machine. ' +
    'docs/SCENARIOS.md has the format of the file. With --sweep or --seeds it plays many, over all cores.',
  positionals: { label: 'FILE', describe: 'a scenario, YAML or JSON', least: 0, most: 1 },
  options: SIM_OPTIONS,
  everyday: ['seed', 'set', 'json', 'csv', 'report', 'sweep', 'seeds', 'jobs', 'out', 'schema'],
  examples: [
    { line: 'xpass sim deploy/scenarios/dumbbell-two-flows.yaml', meaning: 'Two flows that share a link' },
    {
      line: 'xpass sim lab.yaml --set topology.pairs=64 --set algorithm=naive --json',
      meaning: 'The same file with other values',
    },
    {
      line: 'xpass sim lab.yaml --report lab.html --csv lab',
      meaning: 'A page with figures, and the numbers behind it',
    },
    {
      line: 'xpass sim deploy/scenarios/fat-tree-web-server.yaml --set ties=places --threads 2',
      meaning: 'One large world on two cores',
    },
    {
      line: 'xpass sim lab.yaml --sweep topology.pairs=2,4,8,16 --sweep algorithm=steady,naive --seeds 5 --out results',
      meaning: 'Forty runs, which may be interrupted and started again',
    },
    { line: 'xpass sim --schema', meaning: 'For editors that check a file while one types' },
  ],
  // Loaded when it runs: the shapes of scenarios take longer to load than the rest of the command line.
  run: async (invocation) => (await import('./sim.js')).runSim(invocation),
});
