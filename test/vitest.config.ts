import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { sampled } from './support/sampled.ts';
import { SlowestFiles } from './support/slowest-files.ts';

/** Test files that change what a process shares: globals, the environment, the folder, the clock, a mocked package. */
const ALONE = [
  'audit/decider.test.ts',
  'cli/bulk/bulk.test.ts',
  'cli/commands/check-folders.test.ts',
  'cli/commands/lab/without-z3.test.ts',
  'cli/commands/without-duckdb.test.ts',
  'cli/options/config.test.ts',
  'cli/progress.test.ts',
  'decision/live/live.test.ts',
  'facts/mapping/normalise.test.ts',
  'platform/telemetry.test.ts',
  'policy/watch/watch.test.ts',
  'sandbox/answer.test.ts',
  'signals/client.test.ts',
  'signals/faults/canaries.test.ts',
  'signals/faults/pollution.test.ts',
  'signals/http/connection.test.ts',
  'signals/http/proxy.test.ts',
  'signals/http/tls.test.ts',
];

/** The files that take longest. They start first, so that no core is idle at the end. */
const LONGEST = [
  'report/html/browser.test.ts',
  'docs/docs.test.ts',
  'conformance/agreement.test.ts',
  'conformance/runners.test.ts',
  'decision/sql/engines.test.ts',
  'audit/verify/tamper.test.ts',
  'package.test.ts',
  'readme.test.ts',
];

/** Needs a built package, a browser, many processes or many cases: left out of `npm run test:quick`. */
const SLOW = [
  ...LONGEST,
  'audit/decider.test.ts',
  'audit/query/search.test.ts',
  'audit/retain/**',
  'audit/store/crash.test.ts',
  'audit/store/sealed-policy.test.ts',
  'audit/store/processes.test.ts',
  'audit/verify/**',
  'bench/**',
  'cli/audit/**',
  'cli/bulk/**',
  'cli/commands/lab/**',
  'cli/commands/evaluate-runners.test.ts',
  'cli/commands/generate.test.ts',
  'cli/commands/row-files.test.ts',
  'cli/interrupt.test.ts',
  'cli/mistakes.test.ts',
  'core.test.ts',
  'docs/checks-pages.test.ts',
  'docs/fastify.test.ts',
  'docs/workflow.test.ts',
  'decision/decide.test.ts',
  'decision/explain/exact.test.ts',
  'decision/explain/limits.test.ts',
  'decision/matcher/large.test.ts',
  'decision/meaning/promises.test.ts',
  'decision/fetch/staged-facts.test.ts',
  'fuzz.test.ts',
  'lab/**',
  'policy/cells/overlap.test.ts',
  'policy/cells/ties.test.ts',
  'policy/check/since.test.ts',
  'policy/editor/**',
  'policy/read/data.test.ts',
  'policy/read/hostile.test.ts',
  'policy/watch/**',
  'signals/faults/**',
  'signals/http/proxy.test.ts',
  'signals/http/tls.test.ts',
  'signals/session.test.ts',
  'suggest/proposals.test.ts',
];

const isQuick = process.env['VERDICT_TEST'] === 'quick';

class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) => {
      if (project.name === 'alone') return -1;
      const at = LONGEST.indexOf(relative(import.meta.dirname, moduleId));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(specifications)).sort((one, other) => rank(one) - rank(other));
  }
}

const exclude = isQuick ? SLOW : [];

export default defineConfig({
  // The examples of the documentation name the package.
  resolve: { alias: [{ find: /^verdict-engine$/, replacement: resolve(import.meta.dirname, '../src/index.ts') }] },
  test: {
    root: import.meta.dirname,
    setupFiles: ['support/seed.ts'],
    // A random test with full counts may take an hour.
    testTimeout: sampled(30_000, 3_600_000),
    reporters: ['default', new SlowestFiles()],
    pool: 'forks',
    // One more than there are cores: some tests wait for a browser or for other processes.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // The developer's own environment must not reach a test, credentials least of all.
    env: {
      ...{ VERDICT_BASE_URL: '', VERDICT_ENVIRONMENT: '', VERDICT_USERNAME: '', VERDICT_PASSWORD: '', NO_COLOR: '1' },
      ...{ VERDICT_PROXY: '', VERDICT_CA_FILE: '', VERDICT_CERT_FILE: '', VERDICT_KEY_FILE: '' },
    },
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE, exclude } },
      {
        extends: true,
        test: { name: 'shared', include: ['**/*.test.ts'], exclude: [...ALONE, ...exclude], isolate: false },
      },
    ],
  },
});
