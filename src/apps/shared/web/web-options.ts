// Tested by test/loopback/live-page.test.ts
/** `--web`: what commands with a live page have in common. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { text, type ValueKind } from '../../../base/value-kind.js';
import { livePage } from '../../../report/live-page.js';
import { packageFile } from '../../../scenario/play/package-files.js';
import { makeToken, readTokenFile } from '../../../services/control/token.js';
import { type Address, address } from '../../../udp/address.js';
import { type OptionValues, optionalOption } from '../options.js';
import type { LiveSource } from './live-feed.js';
import { LiveServer } from './live-server.js';

/** Ours, beside those of hosts (28400) and switches (28500). */
const DEFAULT_WEB_PORT = 28_480;

const USUAL: Address = { host: '127.0.0.1', port: DEFAULT_WEB_PORT };
const NAMED = address({ ...USUAL, anyPort: true });
/** `--web` alone is the usual address. */
const WEB_ADDRESS: ValueKind<Address> = {
  ...NAMED,
  allowed: `nothing, or ${NAMED.allowed}`,
  parse: (written) => (written === '' ? USUAL : NAMED.parse(written)),
};

export const WEB_OPTIONS = {
  web: optionalOption(WEB_ADDRESS, {
    describe: `serve a live page, at ${USUAL.host}:${USUAL.port} where no address is named; beyond loopback looking needs the token, too`,
  }),
  webToken: optionalOption(text('a file whose first line is the token'), {
    describe: 'what a page has to know to change anything; made at each start without it',
  }),
};

/** Of what a page shows: pages that find another one begin anew. */
export const newRunId = (): string => randomUUID();

/** Serves the page and says where; null where none was asked for. Throws a Failure that names what cannot be had. */
export async function openWeb(
  { web, webToken }: OptionValues<typeof WEB_OPTIONS>,
  { source, logger, title }: { readonly source: LiveSource; readonly logger: Logger; readonly title: string },
): Promise<LiveServer | null> {
  if (web === undefined) return null;
  const script = await readFile(packageFile('dist/web/live.js'), 'utf8');
  return LiveServer.open({
    address: web,
    token: webToken === undefined ? makeToken() : await readTokenFile(webToken),
    page: livePage(title, script),
    source,
    onNotice: (sentence) => logger.warn(sentence),
  });
}
