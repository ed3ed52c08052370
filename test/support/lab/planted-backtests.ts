/** Planted bugs of backtests: of labels, and of the policies of then. */

import type { PlantedBug } from './planted.ts';

export const BUGS_OF_BACKTESTS: readonly PlantedBug[] = [
  {
    name: 'a row that stands twice',
    file: 'backtest/labels.ts',
    before: 'filter((n) => n > 1)',
    after: 'filter((n) => n > 2)',
    tests: ['backtest/labels'],
  },
  {
    name: 'a label joined to the wrong reference',
    file: 'backtest/labels.ts',
    before: "=== 'reference') return reference;",
    after: "=== 'reference') return [...this.#labels.labels.keys()][this.#used.size];",
    tests: ['backtest/labels'],
  },
  {
    name: 'an immature label counted',
    file: 'backtest/labels.ts',
    before: "< this.#matureDays) return { ...known, label: 'immature' }",
    after: "< this.#matureDays && !found) return { ...known, label: 'immature' }",
    tests: ['backtest/labels'],
  },
  {
    name: 'the policy of --against overrides what a row says',
    file: 'backtest/labels.ts',
    before: 'const outcome = decided?.outcome ?? then;',
    after: 'const outcome = then ?? decided?.outcome;',
    tests: ['backtest/labels'],
  },
  {
    name: 'who waits for a review counts as let in',
    file: 'backtest/decided-then.ts',
    before: "if (outcome === 'review') return disposition === undefined ? true : undefined;",
    after: "if (outcome === 'review') return true;",
    tests: ['backtest/decided-then'],
  },
  {
    name: 'an accepted applicant stands for others',
    file: 'backtest/decided-then.ts',
    before: "holdout === undefined || outcome === 'accept'",
    after: 'holdout === undefined',
    tests: ['backtest/decided-then'],
  },
  {
    name: "today's list for a record of last year",
    file: 'backtest/policies-of-then.ts',
    before: '[archived.policy, now]',
    after: '[now, now]',
    tests: ['backtest/policies-of-then'],
  },
  {
    name: "today's list for a row of last year",
    file: 'backtest/policies-of-then.ts',
    before: 'findLastIndex(({ from }) => from <= day)',
    after: 'length - 1',
    tests: ['backtest/policies-of-then'],
  },
  {
    name: 'a list entry that was erased decides',
    file: 'backtest/policies-of-then.ts',
    before: '.filter(isErased)',
    after: '.filter(() => false)',
    tests: ['backtest/policies-of-then'],
  },
  {
    name: 'the last applicants of a log are not counted',
    file: 'backtest/add-log.ts',
    before: '  buffer.flush();',
    after: '',
    tests: ['backtest/policies-of-then'],
  },
  {
    name: 'applicants of two policies of then are counted by one',
    file: 'backtest/applicant-rows.ts',
    before: 'this.#applicants.get(counting)',
    after: '[...this.#applicants.values()][0]',
    tests: ['backtest/policies-of-then'],
  },
  {
    name: 'a decision that depends on what is not on record is counted',
    file: 'backtest/backtest.ts',
    before: 'if (!isUnknown) return true;',
    after: 'if (!isUnknown || day) return true;',
    tests: ['backtest/backtest'],
  },
];
