/** The file of a thread or process -> its bundle, see `bundle.ts`. */

import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(import.meta.dirname, '../../..');
const { THREADS = '' } = process.env;

/** Any other file, or code, as it is. */
export function bundleOf<Code extends string | URL>(code: Code): Code | string {
  const path = typeof code === 'string' ? code : fileURLToPath(code);
  const bundle = join(THREADS, relative(ROOT, path).replace(/\.ts$/, '.js'));
  return existsSync(bundle) ? bundle : code;
}
