// `npm run attacks`: the whole table of rows.ts; `npm run attacks -- WORDS` the rows whose names have these words.
import { pathToFileURL } from 'node:url';
import { packageCommand } from '../../../.config/prepare.mjs';

const words = process.argv.slice(2).join(' ');
process.env.XPASS_ATTACKS = words === '' ? 'all' : words;
const vitest = packageCommand('vitest');
const config = ['--config', '.config/vitest.config.ts'];
process.argv = [process.execPath, vitest, 'run', ...config, 'test/loopback/attacks.test.ts'];
await import(pathToFileURL(vitest).href);
