/** The threads of `src` -> each in one file of JavaScript, which starts in a fraction of the time of its modules. */

import { globSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { TestProject } from 'vitest/node';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Below the packages that threads import. Each run has a folder of its own. */
export const THREADS = join(ROOT, `node_modules/.threads-${process.pid}`);

export async function setup(project: TestProject): Promise<void> {
  await bundleThreads();
  // In `npm run dev`, an edit of `src` is in the next run.
  project.onTestsRerun(bundleThreads);
}

export function teardown(): void {
  rmSync(THREADS, { recursive: true, force: true });
}

async function bundleThreads(): Promise<void> {
  await build({
    entryPoints: globSync('src/**/*-thread.ts', { cwd: ROOT }),
    absWorkingDir: ROOT,
    outbase: 'src',
    outdir: THREADS,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    loader: { '.yaml': 'text' },
    // What modules find beside themselves is beside them in `src`.
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(ROOT, 'src/platform/thread.ts')).href) },
    logLevel: 'warning',
  });
}
