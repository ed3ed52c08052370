/** Threads and processes -> each in one file of JavaScript, which starts in a fraction of its modules' time. */

import { globSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import type { TestProject } from 'vitest/node';

const ROOT = resolve(import.meta.dirname, '../../..');

/** What `src` starts. As CommonJS with its packages it starts sooner: each thread finds and links all modules again. */
const STARTED: BuildOptions = {
  ...{ entryPoints: globSync('src/**/*-{thread,process}.ts', { cwd: ROOT }), format: 'cjs' },
  // Some load files that are beside their own.
  external: Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).peerDependencies),
};

/** What tests start of it. */
const BY_TESTS: BuildOptions = {
  entryPoints: globSync('test/support/{audit,release,stores/*}/{child,taker}.ts', { cwd: ROOT }),
  ...{ format: 'esm', packages: 'external' },
};

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
  for (const options of [STARTED, BY_TESTS]) {
    await build({
      ...options,
      absWorkingDir: ROOT,
      outbase: '.',
      outdir: THREADS,
      bundle: true,
      platform: 'node',
      loader: { '.yaml': 'text' },
      // What modules find beside themselves is beside them in `src`.
      define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(ROOT, 'src/platform/thread.ts')).href) },
      logLevel: 'warning',
    });
  }
}
