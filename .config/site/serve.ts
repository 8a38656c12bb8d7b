/** Shows a folder of files on loopback, for a look at the site. */
import { createReadStream, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** Resolves when it listens; port 0 is any free one. */
export function serveFolder(folder: string, port: number): Promise<Server> {
  const server = createServer(({ url = '/' }, response) => {
    const path = fileOf(folder, url);
    if (path === null) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such page.\n');
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'text/plain; charset=utf-8' });
    createReadStream(path)
      .on('error', () => response.destroy())
      .pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** null where there is none, or outside the folder. */
function fileOf(folder: string, url: string): string | null {
  try {
    const path = normalize(decodeURIComponent(url.split(/[?#]/)[0]));
    if (path.split(/[\\/]/).includes('..')) return null;
    const file = join(folder, path);
    const whole = statSync(file).isDirectory() ? join(file, 'index.html') : file;
    return statSync(whole).isFile() ? whole : null;
  } catch {
    return null;
  }
}
