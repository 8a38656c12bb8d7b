// Makes the working copy ready to run: installs the packages and compiles src/ when either is missing or stale.
// Depends on nothing but Node, because it runs before anything is installed. Speaks on stderr only.
import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => join(root, ...parts);

const installStamp = at('node_modules', '.xpass-lock-hash');
const buildStamp = at('dist', '.stamp');
/** What tests import of src/. */
export const sourcesFolder = at('.sources');
const sourcesStamp = join(sourcesFolder, '.stamp');
const lockDir = at('.bootstrap.lock');
const POLL_MS = 100;
/** What a rename to a folder's name that is taken fails with; the latter two on Windows. A folder that may not be written has failed before. */
const TAKEN = ['ENOTEMPTY', 'EEXIST', ...(process.platform === 'win32' ? ['EPERM', 'EACCES'] : [])];
/** Ours: an installation over a slow line and a build on busy cores take minutes. XPASS_LOCK_SECONDS sets another. */
const LOCK_SECONDS = 600;

export class PrepareError extends Error {}

/** Installs what package-lock.json names, unless that is what node_modules already holds. */
export async function ensureInstalled() {
  if (isCurrent(installStamp, lockfileHash())) return;
  await withLock(() => {
    const hash = lockfileHash();
    if (isCurrent(installStamp, hash)) return;
    if (!isInstalled()) {
      say('installing packages');
      // Development packages are needed to build, whatever NODE_ENV says.
      runNpm(['ci', '--include=dev', '--no-fund', '--no-audit']);
    }
    writeFileSync(installStamp, hash);
  });
}

/**
 * Makes dist/ of src/, tsc the declarations, bundle.mjs the programs and these the manual pages, unless it was made from exactly these sources.
 * `afresh` removes dist/
 * first, inside the lock: another build may be writing it.
 */
export async function ensureBuilt({ afresh = false } = {}) {
  if (!afresh && isCurrent(buildStamp, sourceFingerprint())) return;
  await withLock(() => {
    if (afresh) rmSync(at('dist'), { recursive: true, force: true });
    if (isCurrent(buildStamp, sourceFingerprint())) return;
    say('compiling');
    compile('src');
  });
}

/** Makes what tests import of src/, each module of it at its path, unless it was made from exactly these sources. */
export async function ensureSources() {
  const script = '.config/bundle-sources.mjs';
  if (isCurrent(sourcesStamp, sourceFingerprint(script))) return;
  await withLock(() => {
    const fingerprint = sourceFingerprint(script);
    if (isCurrent(sourcesStamp, fingerprint)) return;
    rmSync(sourcesFolder, { recursive: true, force: true });
    run(process.execPath, [at(script)]);
    writeFileSync(sourcesStamp, fingerprint);
  });
}

/** Compiles every project, the tests included; for `npm run check`. */
export const compileAll = () => withLock(() => compile('.'));

/** The fingerprint is taken first, so that what is edited meanwhile makes the next start compile again. */
function compile(project) {
  const fingerprint = sourceFingerprint();
  rmSync(buildStamp, { force: true });
  run(process.execPath, [at('node_modules', 'typescript', 'bin', 'tsc'), '--build', project]);
  run(process.execPath, [at('.config', 'bundle.mjs')]);
  run(process.execPath, [at('bin', 'xpass.mjs'), 'man', '--out', at('dist', 'man')]);
  writeFileSync(buildStamp, fingerprint);
}

/** Whether somebody's own `npm ci` has installed what package-lock.json names: npm lists in node_modules what is there. */
function isInstalled() {
  const list = at('node_modules', '.package-lock.json');
  if (!existsSync(list)) return false;
  const { packages: installed } = JSON.parse(readFileSync(list, 'utf8'));
  const { packages: wanted } = JSON.parse(readFileSync(at('package-lock.json'), 'utf8'));
  return Object.entries(wanted).every(
    ([path, { version, optional = false }]) => path === '' || optional || installed[path]?.version === version,
  );
}

function lockfileHash() {
  return createHash('sha256')
    .update(readFileSync(at('package-lock.json')))
    .digest('hex');
}

/** Path, size and modification time of everything that decides what `script` makes of src/; cheap enough for every start. */
function sourceFingerprint(script = '.config/bundle.mjs') {
  const inputs = [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    '.config/tsconfig.base.json',
    script,
    ...filesUnder('src'),
  ];
  const hash = createHash('sha256');
  for (const path of inputs) {
    const { size, mtimeMs } = statSync(at(path));
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function filesUnder(folder) {
  return readdirSync(at(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}

function isCurrent(stamp, wanted) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
}

/** Runs npm in `cwd`; what it says goes to stderr. Throws a PrepareError when it fails. `args` are single words, since a shell may read them. */
export function runNpm(args, { cwd = root } = {}) {
  const npm = npmCommand(args);
  run(npm.command, npm.args, { cwd, shell: npm.shell });
}

/**
 * How this process starts npm: the npm that started it where there is one, else that of the PATH. On Windows the latter is a batch file, which Node.js starts
 * by a shell only (https://nodejs.org/api/child_process.html#spawning-bat-and-cmd-files-on-windows).
 */
export function npmCommand(args, { env = process.env, platform = process.platform } = {}) {
  const script = env.npm_execpath ?? '';
  // pnpm and yarn set npm_execpath to themselves.
  if (basename(script) === 'npm-cli.js') return { command: process.execPath, args: [script, ...args], shell: false };
  if (platform === 'win32') return { command: ['npm', ...args].join(' '), args: [], shell: true };
  return { command: 'npm', args, shell: false };
}

/** The script of an installed package's command, for Node.js to run: what is in node_modules/.bin are batch files on Windows. */
export function packageCommand(name, command = name) {
  const { bin } = JSON.parse(readFileSync(at('node_modules', name, 'package.json'), 'utf8'));
  return at('node_modules', name, typeof bin === 'string' ? bin : bin[command]);
}

function run(command, args, options = {}) {
  const { status, signal, error } = spawnSync(command, args, { cwd: root, ...options, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  throw new PrepareError(`${command} ${args.join(' ')} failed (${error?.message ?? signal ?? `status ${status}`})`);
}

/**
 * Runs one piece of work at a time over all processes of this working copy.
 *
 * The lock is a folder holding one file named after its owner. It is taken by renaming a prepared folder into place, which fails while
 * the lock holds a file and succeeds when it is absent or empty; it is freed by removing that file. So an owner that died is
 * evicted by removing the file of exactly that owner, and two processes that notice it together cannot evict each other.
 */
async function withLock(work) {
  const owner = `${process.pid}-${randomUUID()}`;
  const seconds = lockSeconds();
  let waiting = '';
  for (let waited = 0; !tryLock(owner); waited += POLL_MS) {
    const holder = lockHolders().map(pidOf).join(', ');
    if (waited >= seconds * 1e3) {
      throw new PrepareError(`process ${holder} has held .bootstrap.lock for ${seconds} s: end it, or let it go on`);
    }
    if (waiting === '' && holder !== '') say(`waiting for another build of this working copy (process ${holder})`);
    waiting = holder;
    await sleep(POLL_MS);
  }
  try {
    return work();
  } finally {
    rmSync(join(lockDir, owner), { force: true });
    removeIfEmpty(lockDir);
  }
}

function lockSeconds() {
  const text = process.env.XPASS_LOCK_SECONDS;
  if (text === undefined) return LOCK_SECONDS;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new PrepareError(`XPASS_LOCK_SECONDS is "${text}": it must be a finite number above 0`);
}

function tryLock(owner) {
  const holders = lockHolders();
  for (const dead of holders.filter((holder) => !isAlive(pidOf(holder)))) {
    rmSync(join(lockDir, dead), { force: true });
  }
  if (holders.length > 0) return false;
  // Windows renames no folder to a name that is taken, not even by an empty folder.
  removeIfEmpty(lockDir);
  const prepared = `${lockDir}.${owner}`;
  mkdirSync(prepared);
  writeFileSync(join(prepared, owner), '');
  const moved = attempt(() => renameSync(prepared, lockDir), ...TAKEN);
  if (!moved) rmSync(prepared, { recursive: true });
  return moved;
}

function pidOf(holder) {
  return Number.parseInt(holder, 10);
}

function lockHolders() {
  try {
    return readdirSync(lockDir);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

const removeIfEmpty = (folder) => attempt(() => rmdirSync(folder), 'ENOTEMPTY', 'ENOENT');

/** Whether it worked; an error other than those expected is thrown on. */
function attempt(action, ...expected) {
  try {
    action();
    return true;
  } catch (error) {
    if (expected.includes(error.code)) return false;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function say(text) {
  process.stderr.write(`bootstrap: ${text}\n`);
}
