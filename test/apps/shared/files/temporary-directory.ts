import { execFileSync } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory that goes with the test. */
export async function temporaryDirectory(): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'xpass-files-')));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Runs a program of the system that has to succeed. */
export function runProgram(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: 'ignore' });
}
