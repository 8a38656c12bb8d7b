import { EventEmitter } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../../src/apps/cli/program.js';
import { type Command, type CommandEntry, defineCommand, type Invocation } from '../../../src/apps/shared/command.js';
import { flag, option, requiredOption } from '../../../src/apps/shared/options.js';
import { XpassError } from '../../../src/base/errors.js';
import { ExitCode } from '../../../src/base/exit-codes.js';
import { Failure } from '../../../src/base/failure.js';
import { rate } from '../../../src/base/quantities.js';
import { text } from '../../../src/base/value-kind.js';
import { said } from '../../harness/said.js';
import { scratchDirectory } from '../../harness/scratch.js';

const options = {
  linkRate: option(rate(), { describe: 'Rate of the link', alias: 'r', defaultText: '100mbit' }),
  to: requiredOption(text('HOST'), { describe: 'Who receives' }),
  json: flag({ describe: 'Print JSON' }),
};

type Run = (invocation: Invocation<typeof options>) => Promise<ExitCode>;

const send = (run: Run): Command =>
  defineCommand({
    description: 'Sends files.',
    positionals: { label: 'FILE...', describe: 'what to send', least: 1, most: 2 },
    options,
    examples: [{ line: 'xpass send a.iso --to lab7', meaning: 'send a file' }],
    run,
  });

const ctl = defineCommand({
  description: 'Asks a switch.',
  options: {},
  examples: [],
  run: async ({ name, results }) => {
    results.line(`ran ${name}`);
    return ExitCode.done;
  },
});

const commandsWith = (run: Run): CommandEntry[] => [
  { name: 'send', summary: 'send files', load: async () => ({ command: send(run) }) },
  {
    name: 'switch',
    summary: 'run a switch',
    load: async () => ({
      command: defineCommand({
        description: 'Runs a switch.',
        options: {},
        examples: [],
        subcommands: [{ name: 'ctl', summary: 'ask a switch', load: async () => ({ command: ctl }) }],
        run: async () => ExitCode.done,
      }),
    }),
  },
];

async function run(line: string | string[], body: Run = async () => ExitCode.done) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const signals = Object.assign(new EventEmitter(), { exit: () => undefined });
  const argv = typeof line === 'string' ? line.split(' ').filter(Boolean) : line;
  const exitCode = await runProgram({ argv, commands: commandsWith(body), stdout, stderr, signals });
  return { exitCode, out: said(stdout), err: said(stderr), signals };
}

describe('xpass', () => {
  it('tells its version', async () => {
    const { exitCode, out } = await run('--version');
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each(['--help', '--help-all', '-h'])('lists its commands with %s', async (word) => {
    const { exitCode, out, err } = await run(word);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/xpass send +send files/);
    expect(out).toContain('Exit status: 0 done');
    expect(err).toBe('');
  });

  it.each([
    ['', 'xpass: no command is given; allowed: send, switch\n'],
    ['snd', "xpass: unknown command 'snd'; did you mean 'send'?; allowed: send, switch\n"],
    ['--json send', "xpass: the command comes before '--json'; allowed: send, switch\n"],
  ])('refuses "%s" in one sentence and says where to read more', async (line, sentence) => {
    const { exitCode, out, err } = await run(line);
    expect(exitCode).toBe(2);
    expect(err).toBe(`${sentence}See \`xpass --help\`.\n`);
    expect(out).toBe('');
  });

  it('runs a command with its values and ends with its status', async () => {
    let seen: unknown;
    const { exitCode, out } = await run(
      'send a b --to lab7 -r 1.5gbit',
      async ({ options: values, positionals, results, name }) => {
        seen = { values, positionals, name };
        results.json({ ok: false });
        return ExitCode.failed;
      },
    );
    expect(exitCode).toBe(1);
    expect(out).toBe('{"ok":false}\n');
    expect(seen).toEqual({
      values: { linkRate: 1.5e9, to: 'lab7', json: false },
      positionals: ['a', 'b'],
      name: 'send',
    });
  });

  it('runs a command below a command', async () => {
    expect((await run('switch ctl')).out).toBe('ran switch ctl\n');
    expect((await run('switch clt')).err).toBe(
      "xpass switch: unexpected argument 'clt'; did you mean 'ctl'?; allowed: options only\nSee `xpass switch --help`.\n",
    );
    expect((await run('switch ctl --help')).out).toContain('Usage: xpass switch ctl [options]');
  });

  it('shows the help of a command whatever else is wrong', async () => {
    const { exitCode, out } = await run('send --help-all');
    expect(exitCode).toBe(0);
    for (const part of [
      'Usage: xpass send FILE... [options]',
      'Sends files.',
      'FILE...: what to send.',
      '--link-rate',
      '[default: 100mbit]',
      'xpass send a.iso --to lab7',
      '--log-level',
      '--config',
    ]) {
      expect(out).toContain(part);
    }
  });

  it.each([
    ['send --to h', 'FILE... is missing: none given, 1 needed'],
    ['send a b c --to h', "unexpected argument 'c'; allowed: 2 FILE..."],
    ['send a', '--to is missing; allowed: HOST'],
    ['send a --to', '--to has no value; allowed: HOST'],
    [
      'send a --to h --too x',
      "unknown option --too; did you mean 'to'?; allowed: --link-rate, --to, --json, --config, --log-level",
    ],
    ['send a --to h -x', 'unknown option -x; allowed: '],
    ['send a --to h --link-rate fast', "--link-rate 'fast' is not allowed; allowed: a rate from 1bit up"],
    ['send a --to h --to i', '--to is given 2 times; once is allowed'],
    ['send a --to h --json=maybe', "--json 'maybe' is not allowed; allowed: --json, --no-json"],
    [
      'send a --to h --log-level loud',
      "--log-level 'loud' is not allowed; allowed: silent, error, warn, info, debug, trace",
    ],
  ])('refuses "%s"', async (line, sentence) => {
    const { exitCode, err } = await run(line);
    expect(exitCode).toBe(2);
    expect(err.startsWith(`xpass send: ${sentence}`)).toBe(true);
    expect(err.endsWith('\nSee `xpass send --help`.\n')).toBe(true);
    expect(err.split('\n')).toHaveLength(3);
  });

  it('takes names that begin with a dash after --', async () => {
    let seen: readonly string[] = [];
    await run(['send', '--to', 'h', '--', '--json', '-1'], async ({ positionals }) => {
      seen = positionals;
      return ExitCode.done;
    });
    expect(seen).toEqual(['--json', '-1']);
  });

  it('reads options from a file, and the command line wins', async () => {
    const directory = await scratchDirectory();
    const path = join(directory, 'lab.yaml');
    await writeFile(path, 'to: lab7\nlink-rate: 1g\njson: true\nlog-level: silent\n');
    let seen: unknown;
    const body: Run = async ({ options: values, logger }) => {
      seen = { ...values, level: logger.level };
      return ExitCode.done;
    };
    expect(await run(['send', 'a', '--config', path, '--no-json', '-r', '2g'], body)).toMatchObject({ exitCode: 0 });
    expect(seen).toEqual({ to: 'lab7', linkRate: 2e9, json: false, level: 'silent' });
    await writeFile(path, 'config: x\n');
    expect((await run(['send', 'a', '--config', path])).err).toContain(
      "has the unknown key 'config'; allowed: link-rate, to, json, log-level",
    );
  });

  it.each([
    [new Failure(ExitCode.failed, 'the disk is full'), 1, 'xpass send: the disk is full\n'],
    [new XpassError('idle', 'the peer is lost'), 3, 'xpass send: the peer is lost\n'],
    [new XpassError('config', 'jitter is 2'), 2, 'xpass send: jitter is 2\nSee `xpass send --help`.\n'],
  ])('makes one sentence and a status of %s', async (error, exitCode, err) => {
    const body: Run = async () => {
      throw error;
    };
    expect(await run('send a --to h', body)).toMatchObject({ exitCode, err });
  });

  it('lets a bug through with its stack', async () => {
    const body: Run = async () => {
      throw new TypeError('x is undefined');
    };
    await expect(run('send a --to h', body)).rejects.toThrow(TypeError);
  });

  it('hands signals to the command', async () => {
    const heard: string[] = [];
    const { signals } = await run('send a --to h', async ({ onInterrupt }) => {
      onInterrupt((signal) => heard.push(signal));
      return ExitCode.done;
    });
    signals.emit('SIGTERM', 'SIGTERM');
    expect(heard).toEqual(['SIGTERM']);
  });

  it('logs to standard error only', async () => {
    const { out, err } = await run('send a --to h --log-level info --log-format json', async ({ logger }) => {
      logger.info('hello');
      return ExitCode.done;
    });
    expect(out).toBe('');
    expect(JSON.parse(err)).toMatchObject({ name: 'xpass send', msg: 'hello' });
  });
});
