/** Rows as columns are decided as their facts are, and a rule is undetermined there for the same causes. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { factAt } from '../../../src/decision/matcher/columns.ts';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { columnsOf, daysOf } from '../../../src/decision/matcher/row-columns.ts';
import { gatherMissing } from '../../../src/decision/meaning/evidence.ts';
import { TRUE } from '../../../src/decision/meaning/truth.ts';
import { isMissing, shownValue } from '../../../src/facts/fact.ts';
import { asRead } from '../../../src/facts/fact-reader.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPlainPolicy, readPlainFacts } from '../../support/runners/case.ts';
import { sampled } from '../../support/sampled.ts';

it('columns of facts are decided as the facts, and keep the values and the causes', () => {
  const folder = temporaryFolder({});
  fc.assert(
    fc.property(aCase({ applicants: 8 }), ({ policy: plain, applicants, day }) => {
      const policy = loadPlainPolicy(plain, folder);
      const people = applicants.map((each) => asRead(readPlainFacts(each, policy, day), policy.facts, day));
      const paths = new Set(people.flatMap((facts) => [...facts.keys()]));
      const columns = columnsOf(people, paths, policy.facts);
      let visited = 0;
      matcherOf(policy).rowScan()(columns, daysOf(people.map(() => day)), (truths) => {
        visited += 1;
        const facts = people[truths.row] ?? new Map();
        for (const path of paths) {
          const [fact, own] = [factAt(columns, policy.facts, path, truths.row, day), facts.get(path)];
          if (own === undefined || isMissing(own)) expect(fact).toMatchObject({ missing: own?.missing ?? 'notGiven' });
          else expect([fact, 'value' in fact && shownValue(fact)]).toEqual([own, shownValue(own)]);
        }
        const found = [...truths.rules.subarray(0, truths.size)].map((rule, i) => {
          return [rule, truths.isFired[i] === 1 ? [] : truths.missing(rule).evidence];
        });
        const expected = matcherOf(policy)
          .truths(facts, day)
          .map(({ rule, truth }) => [
            policy.rules.indexOf(rule),
            truth === TRUE ? [] : gatherMissing(rule.when, facts, day),
          ]);
        expect(found).toEqual(expected);
      });
      expect(visited).toBe(people.length);
    }),
    { numRuns: sampled(34, 5000) },
  );
});
