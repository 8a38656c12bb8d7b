// Loaded before a program by `--import`: has it find another system than Linux, as far as one process can pretend. The environment variable
// XPASS_TEST_SYSTEM names it: darwin or win32.
import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';

const system = process.env.XPASS_TEST_SYSTEM;
Object.defineProperty(process, 'platform', { value: system });
os.platform = () => system;

const failure = (code, syscall) => Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
const replace = (object, name, make) => {
  object[name] = make(object[name]);
};

for (const name of ['readFileSync', 'writeFileSync', 'readdirSync', 'readlinkSync', 'statSync', 'openSync']) {
  replace(fs, name, (original) =>
    Object.assign((path, ...rest) => {
      if (String(path).startsWith('/proc')) throw failure('ENOENT', name);
      return original(path, ...rest);
    }, original),
  );
}
replace(fs, 'existsSync', (original) => (path) => !String(path).startsWith('/proc') && original(path));

if (system === 'darwin') {
  // As with a small kern.ipc.maxsockbuf.
  for (const name of ['setRecvBufferSize', 'setSendBufferSize']) {
    replace(
      dgram.Socket.prototype,
      name,
      (original) =>
        function set(bytes) {
          if (bytes > 2 ** 20) throw failure('ENOBUFS', 'setsockopt');
          return original.call(this, bytes);
        },
    );
  }
}

if (system === 'win32') {
  replace(
    childProcess.ChildProcess.prototype,
    'kill',
    (original) =>
      function kill() {
        return original.call(this, 'SIGKILL');
      },
  );
  // A named pipe is a socket in Linux's abstract space, which has no file either. Any other path is refused.
  const onPipe = (options) =>
    typeof options?.path === 'string' && options.path.startsWith('\\\\.\\pipe\\')
      ? { ...options, path: `\0${options.path.slice('\\\\.\\pipe\\'.length)}` }
      : options;
  const isRefused = (options) => typeof options?.path === 'string' && !options.path.startsWith('\0');

  replace(
    net.Server.prototype,
    'listen',
    (original) =>
      function listen(options, ...rest) {
        const at = onPipe(options);
        if (!isRefused(at)) return original.call(this, at, ...rest);
        process.nextTick(() => this.emit('error', failure('EACCES', 'listen')));
        return this;
      },
  );
  replace(
    net,
    'connect',
    (original) =>
      (options, ...rest) =>
        original(onPipe(options), ...rest),
  );
}

syncBuiltinESMExports();
