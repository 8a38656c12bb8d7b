#!/usr/bin/env node
// Runs a command of this working copy after installing and compiling what it needs: `node bin/bootstrap.mjs xpass demo`.
// The command runs inside this very process, so arguments and the exit status need no passing on.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled, PrepareError, packageCommand, root } from '../.config/prepare.mjs';

// The tests run from source, and those that need dist/ build it in their global setup.
const commands = {
  build: { built: true },
  // For what is published: nothing of sources that are gone.
  rebuild: { built: true, afresh: true },
  xpass: { built: true, script: () => join(root, 'bin/xpass.mjs') },
  check: { script: () => join(root, '.config/check.mjs') },
  vitest: { script: () => packageCommand('vitest') },
  fuzz: { script: () => join(root, 'test/fuzz/fuzz.mjs') },
  chaos: { script: () => join(root, 'test/loopback/chaos/chaos.mjs') },
  attacks: { script: () => join(root, 'test/loopback/attacks/attacks.mjs') },
  nodes: { script: () => join(root, '.config/install-nodes.mjs') },
  site: { built: true, script: () => join(root, '.config/site.mjs') },
  typedoc: { script: () => packageCommand('typedoc') },
  biome: { script: () => packageCommand('@biomejs/biome', 'biome') },
};

/** How often a process that npm started looks for its parent (ours): below REPEAT_MS of signals.ts, so that Ctrl-C and the parent's end count as one signal. */
const LOOK_MS = 100;

/**
 * npm passes a signal on to the shell that it runs a script with. Where that shell is a process of its own, as on Debian, it dies and passes nothing on:
 * a parent that is gone stands for SIGTERM.
 */
function endWithShell() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
}

async function main([name, ...args]) {
  const command = commands[name];
  if (command === undefined)
    throw new PrepareError(`unknown command "${name}", expected ${Object.keys(commands).join(', ')}`);
  if (process.env.npm_lifecycle_event !== undefined) endWithShell();
  await ensureInstalled();
  if (command.built) await ensureBuilt(command);
  if (command.script === undefined) return;
  const script = command.script();
  process.argv = [process.execPath, script, ...args];
  await import(pathToFileURL(script).href);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof PrepareError)) throw error;
  process.stderr.write(`bootstrap: ${error.message}\n`);
  process.exitCode = 2;
}
