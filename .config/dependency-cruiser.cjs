// The import table of docs/ARCHITECTURE.md as rules. TypeScript's project references hold the coarse part of it as well; these rules
// say it in one place, add what references cannot express, and forbid cycles.

const pure = '^src/(base|wire|core|switch|sim)/';

/** A room may import itself and the rooms named; everything else in src is forbidden. */
function room(name, allowed) {
  return {
    name: `${name}-imports`,
    severity: 'error',
    comment: `src/${name} may import ${allowed.join(', ') || 'nothing'}.`,
    from: { path: `^src/${name}/` },
    to: { path: '^src/', pathNot: `^src/(${[name, ...allowed].join('|')})/` },
  };
}

/** The folders of src/core that hold algorithms know the numbers they are given, not the transport around them. */
function algorithms(folder) {
  return {
    name: `core-${folder}-imports`,
    severity: 'error',
    comment: `src/core/${folder} may import base and its own folder.`,
    from: { path: `^src/core/${folder}/` },
    to: { path: '^src/', pathNot: `^src/(base|core/${folder})/` },
  };
}

module.exports = {
  forbidden: [
    room('base', []),
    room('wire', ['base']),
    room('core', ['base', 'wire']),
    room('switch', ['base', 'wire']),
    room('sim', ['base', 'wire', 'core', 'switch']),
    room('udp', ['base', 'wire', 'core', 'switch']),
    room('scenario', ['base', 'wire', 'core', 'switch', 'sim', 'udp', 'telemetry']),
    room('telemetry', ['base', 'wire']),
    room('report', ['base', 'core', 'switch', 'sim', 'scenario', 'telemetry']),
    room('web', ['base', 'wire', 'core', 'switch', 'sim', 'scenario', 'report', 'telemetry']),
    room('net', ['base', 'wire', 'core', 'switch', 'udp', 'telemetry']),
    room('services', ['base', 'wire', 'core', 'switch', 'udp', 'net', 'telemetry']),
    {
      name: 'scenario-takes-addresses',
      severity: 'error',
      comment: 'Of src/udp, src/scenario needs the grammar of addresses alone: it reads files and opens no socket.',
      from: { path: '^src/scenario/' },
      to: { path: '^src/udp/', pathNot: '^src/udp/address[.]ts$' },
    },
    {
      name: 'web-runs-in-browsers',
      severity: 'error',
      comment: 'src/web uses no module of Node.js, nor what uses one.',
      from: { path: '^src/web/' },
      to: {
        path: '^(node:)?(assert|child_process|crypto|dgram|fs|fs/promises|http|module|net|os|path|process|url|worker_threads)$',
        reachable: true,
      },
    },
    {
      name: 'web-is-bundled',
      severity: 'error',
      comment: 'Nothing imports what runs in a browser: the pages are read as files of dist/web.',
      from: { path: '^src/', pathNot: '^src/web/' },
      to: { path: '^src/web/' },
    },
    algorithms('credit'),
    algorithms('window'),
    algorithms('path'),
    {
      name: 'pure-rooms-stay-pure',
      severity: 'error',
      comment: 'base, wire, core, switch and sim use neither Node nor packages.',
      from: { path: pure },
      to: { pathNot: '^src/' },
    },
    {
      name: 'udp-uses-node-only',
      severity: 'error',
      comment:
        'src/udp and src/net may use Node, but no packages; koffi in two files and @node-rs/crc32 in one, where they are there.',
      from: { path: '^src/(udp|net)/', pathNot: '^src/udp/(mmsg/native|seal/openssl|crc)[.]ts$' },
      to: { pathNot: '^src/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'apps-stand-alone',
      severity: 'error',
      comment: 'An app imports no other app but apps/shared.',
      from: { path: '^src/apps/([^/]+)/', pathNot: '^src/apps/cli/' },
      to: { path: '^src/apps/', pathNot: '^src/apps/($1|shared)/' },
    },
    {
      name: 'hosts-come-from-net',
      severity: 'error',
      comment:
        'Daemon, send and perf open their hosts and flows with src/net: none of them assembles a machine or drives one.',
      from: { path: '^src/(services|apps/(daemon|send|perf|shared))/' },
      to: { path: '^src/(udp/host-driver|core/(host|endpoint|sender-flow|receiver-flow))[.]ts$' },
    },
    {
      name: 'cli-imports-commands',
      severity: 'error',
      comment:
        "apps/cli puts the program together: of the other apps it imports each one's command.ts, and apps/shared.",
      from: { path: '^src/apps/cli/' },
      to: { path: '^src/apps/', pathNot: '^src/apps/((cli|shared)/|[^/]+/command\\.ts$)' },
    },
    {
      name: 'threads-in-one-place',
      severity: 'error',
      comment:
        'Worker threads play simulations; the rule below names the folders of those that use them. What is loaded before a program asks whether it is in one, and so do the system calls.',
      from: {
        path: '^src/',
        pathNot: '^src/(scenario/play/threads|apps/shared/end-with-parent[.]child|udp/mmsg/native)[.]ts$',
      },
      to: { path: '^(node:)?worker_threads$' },
    },
    {
      name: 'threads-mark-as-v8-does',
      severity: 'error',
      comment:
        'A command with worker threads opens no transport and no switch, whose processes mark their heap rarely: src/apps/shared/v8-flags.ts.',
      from: { path: '^src/(scenario|apps/(fuzz|figures|sim|work))/' },
      to: { path: '^src/apps/shared/collector[.]ts$', reachable: true },
    },
    {
      name: 'nobody-imports-the-barrel',
      severity: 'error',
      comment: 'src/index.ts is for users of the package; inside, import the file that has what you need.',
      from: { path: '^src/' },
      to: { path: '^src/index\\.ts$' },
    },
    {
      name: 'src-imports-src',
      severity: 'error',
      comment: 'Sources import neither tests nor tooling.',
      from: { path: '^src/' },
      to: { path: '^(test|bin|deploy|\\.config|dist)/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Types count too: a cycle of types is two files that cannot be read apart.',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'A source that imports nothing and is imported by nothing has no use.',
      from: { orphan: true, path: '^src/', pathNot: '\\.(d|page)\\.ts$' },
      to: {},
    },
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'An import leads somewhere.',
      from: { path: '^(src|test)/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'declared-packages',
      severity: 'error',
      comment:
        'What src uses at run time stands under "dependencies", but for what .config/bundle.mjs builds into dist/, and what users of --queue install.',
      from: {
        path: '^src/',
        pathNot:
          '^src/(web/|apps/cli/command-line[.]ts$|services/metrics/exporter[.]ts$|scenario/queue/packages[.]ts$)',
      },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
