/** The packages in the editor of the pages -> their licences beside it, as these ask for. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '../../..');
const FOLDER = 'src/service/workbench/browser';

const { metafile } = await build({
  ...{ entryPoints: [join(ROOT, FOLDER, 'editor.ts')], bundle: true, format: 'esm', write: false, metafile: true },
  absWorkingDir: ROOT,
});
const packages = new Set(
  Object.keys(metafile.inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
);
const texts = [...packages].sort().map((name) => {
  return `${name}\n\n${readFileSync(join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8')}`;
});
writeFileSync(join(ROOT, 'dist/service/workbench/THIRD-PARTY.txt'), texts.join('\n---\n\n'));
