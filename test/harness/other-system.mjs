// Loaded before a program by `--import`: has it find another system than Linux, as far as one process can pretend. The environment variable XPASS_TEST_SYSTEM names it: darwin or win32.
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
  replace(
    net.Server.prototype,
    'listen',
    (original) =>
      function listen(options, ...rest) {
        if (typeof options?.path !== 'string') return original.call(this, options, ...rest);
        process.nextTick(() => this.emit('error', failure('EACCES', 'listen')));
        return this;
      },
  );
}

syncBuiltinESMExports();
