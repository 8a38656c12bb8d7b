import type { CommandEntry } from '../shared/command.js';

/**
 * The commands in the order of `xpass --help`. Each is one line, and its module is loaded only when it runs:
 * `{ name: 'send', summary: 'send files to a host', load: () => import('../send/command.js') },`
 */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'demo',
    summary: 'senders, a switch and a receiver on this machine',
    load: () => import('../demo/command.js'),
  },
  { name: 'daemon', summary: 'receive files, serve perf and tunnels', load: () => import('../daemon/command.js') },
  { name: 'perf', summary: 'measure between two hosts, as iperf3 does', load: () => import('../perf/command.js') },
  { name: 'send', summary: 'send files to a daemon', load: () => import('../send/command.js') },
  {
    name: 'receive',
    summary: 'take one file and write it to standard output',
    load: () => import('../receive/command.js'),
  },
  { name: 'key', summary: 'make and show keys for hosts that talk in secret', load: () => import('../key/command.js') },
  { name: 'tunnel', summary: 'carry TCP connections of any program', load: () => import('../tunnel/command.js') },
  {
    name: 'switch',
    summary: 'run a software switch, or ask one that runs',
    load: () => import('../switch/command.js'),
  },
  { name: 'top', summary: 'watch a running switch, daemon or tunnel', load: () => import('../top/command.js') },
  {
    name: 'lab',
    summary: 'play a scenario over processes of this machine',
    load: () => import('../lab/command.js'),
  },
  { name: 'trace', summary: 'sum up and plot the qlog file of a flow', load: () => import('../trace/command.js') },
  {
    name: 'dissector',
    summary: 'print a Wireshark dissector for captures',
    load: () => import('../dissector/command.js'),
  },
  {
    name: 'unseal',
    summary: 'open the sealed frames of a capture by a key log',
    load: () => import('../unseal/command.js'),
  },
  { name: 'sim', summary: 'play a scenario in virtual time, or many', load: () => import('../sim/command.js') },
  {
    name: 'figures',
    summary: 'reproduce the figures of the papers',
    load: () => import('../figures/command.js'),
  },
  {
    name: 'work',
    summary: 'play runs of sweeps on other machines, from a queue',
    load: () => import('../work/command.js'),
  },
  { name: 'bench', summary: 'measure this machine and xpass on it', load: () => import('../bench/command.js') },
  {
    name: 'fuzz',
    summary: 'look for faults of xpass in random worlds',
    load: () => import('../fuzz/command.js'),
  },
  { name: 'man', summary: 'print manual pages', load: () => import('../man/command.js') },
  {
    name: 'completion',
    summary: 'print a script that completes words in a shell',
    load: () => import('../completion/command.js'),
  },
];
