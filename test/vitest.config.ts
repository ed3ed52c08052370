import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import RunReport from './support/run-report.ts';
import { IS_QUICK, IS_RELEASE, IS_SOAK, IS_WATCH, sampled } from './support/sampled.ts';
import { TEMPORARY } from './support/temporary.ts';
import { THREADS } from './support/threads/bundle.ts';

const MINUTE_MS = 60_000;

/** Test files that change what a process shares and cannot put back: a mocked package, a prototype, the zone. */
const ALONE = '**/*.alone.test.ts';

/** Needs many processes or many cases: left out of `npm run test:quick`. */
const SLOW = '**/*.slow*.test.ts';

/** Of the package as it is installed, of every page in every state, whole journeys: `npm run test:release`. */
const RELEASE = '**/*.release.test.ts';

/** Takes longest and starts first, so that no core is idle at the end. */
const SLOWEST = '.slowest.';

class SlowestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) => {
      if (project.name === 'alone') return 0;
      return moduleId.includes(SLOWEST) ? 1 : 2;
    };
    return (await super.sort(specifications)).sort((one, other) => rank(one) - rank(other));
  }
}

const exclude = [...(IS_QUICK ? [SLOW] : []), ...(IS_SOAK ? [] : [RELEASE])];

/** The tests of files run once more on a machine in another zone: a time is read in UTC wherever it is read. */
const OF_DAYS = 'cli/commands/days-of-files.test.ts';
const OF_FILES = [
  ...['cli/commands/evaluate.test.ts', 'cli/commands/lab/{backtest,drift}.test.ts'],
  '{cli/commands/,}lab/backtest/velocities{,.slow}.test.ts',
];

/**
 * Node loads the modules, as it does for users, which is faster than Vite's runner. That one can mock packages, and
 * load a file again that was saved.
 */
const LOADED_BY_NODE = { viteModuleRunner: IS_WATCH, nodeLoader: false };

const ALONES = { extends: true, test: { name: 'alone', include: [ALONE], exclude } };

const SHARED = {
  extends: true,
  test: {
    name: 'shared',
    include: ['**/*.test.ts'],
    exclude: [ALONE, ...exclude],
    isolate: false,
    experimental: LOADED_BY_NODE,
  },
};

const RELEASES = { extends: true, test: { name: 'release', include: [RELEASE], experimental: LOADED_BY_NODE } };

const ZONE = {
  extends: true,
  test: {
    name: 'zone',
    include: [...(IS_RELEASE ? [] : [OF_DAYS]), ...(IS_RELEASE || IS_SOAK ? OF_FILES : [])],
    exclude,
    env: { TZ: 'Pacific/Auckland' },
    isolate: false,
    experimental: LOADED_BY_NODE,
  },
};

export default defineConfig({
  // The examples of the documentation name the package.
  resolve: { alias: [{ find: /^verdict-engine$/, replacement: resolve(import.meta.dirname, '../src/index.ts') }] },
  test: {
    root: import.meta.dirname,
    globalSetup: ['support/temporary.ts', 'support/threads/bundle.ts'],
    setupFiles: ['seed', 'patience', 'as-found', 'processes', 'threads/start'].map((name) => `support/${name}.ts`),
    // What only a test that hangs reaches. A random test with full counts may take an hour.
    testTimeout: sampled(10 * MINUTE_MS, 120 * MINUTE_MS),
    hookTimeout: 10 * MINUTE_MS,
    expect: { poll: { timeout: 5 * MINUTE_MS } },
    reporters: ['default', new RunReport()],
    pool: 'forks',
    // What WebAssembly a file runs, z3 or a database, is compiled faster than it would get faster.
    execArgv: IS_SOAK ? [] : ['--liftoff-only'],
    // Two more than there are cores: many tests wait for a poll, a browser or another process.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: SlowestFirst },
    // The developer's own environment must not reach a test, credentials least of all.
    env: {
      ...{ VERDICT_BASE_URL: '', VERDICT_ENVIRONMENT: '', VERDICT_USERNAME: '', VERDICT_PASSWORD: '', NO_COLOR: '1' },
      // What a test leaves behind goes with the run. Compiled code stays for the processes of the next run.
      ...{ THREADS, TMPDIR: TEMPORARY, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
      ...{ VERDICT_PROXY: '', VERDICT_CA_FILE: '', VERDICT_CERT_FILE: '', VERDICT_KEY_FILE: '' },
    },
    projects: IS_RELEASE ? [RELEASES, ZONE] : [ALONES, SHARED, ZONE],
  },
});
