/** Threads and processes -> each in one file of JavaScript, which starts in a fraction of its modules' time. */

import { globSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { TestProject } from 'vitest/node';

const ROOT = resolve(import.meta.dirname, '../../..');

/** What `src` starts, and what tests start of it. */
const ENTRIES = ['src/**/*-{thread,process}.ts', 'test/support/{audit,release,stores/*}/{child,taker}.ts'];

/** Below the packages that they import. Each run has a folder of its own. */
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
    entryPoints: globSync(ENTRIES, { cwd: ROOT }),
    absWorkingDir: ROOT,
    outbase: '.',
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
