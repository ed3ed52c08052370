/** A build -> the same without the type declarations that no entry point of the package leads to. */

import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');

const IMPORT = /\b(?:from|import)\s*\(?["'](\.[^"']+)\.[jt]s["']/g;

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const entries = Object.values<{ readonly types?: string }>(manifest.exports);
const reached = new Set(entries.flatMap(({ types }) => (types === undefined ? [] : [join(ROOT, types)])));
for (const file of reached) {
  const imports = readFileSync(file, 'utf8').matchAll(IMPORT);
  for (const [, path = ''] of imports) reached.add(resolve(dirname(file), `${path}.d.ts`));
}
for (const file of globSync(join(ROOT, 'dist/**/*.d.ts'))) if (!reached.has(file)) rmSync(file);
