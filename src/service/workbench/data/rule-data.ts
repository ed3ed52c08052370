/** A rule of a policy in force -> what it did: by day, beside other rules, and what people say of its decisions. */

import { dirname } from 'node:path';
import { readReferences } from '../../../audit/query/read-references.ts';
import { searchIndex } from '../../../audit/query/search-index.ts';
import { filterOf } from '../../../audit/read/filter.ts';
import { dayOfInstant } from '../../../facts/day.ts';
import { DISPOSITIONS } from '../../../policy/language.ts';
import { spanOf } from '../../../policy/source-map.ts';
import { maySeeDecisions, maySeeEntries } from '../../auth/see.ts';
import type { Person } from '../../auth/sessions.ts';
import { indexedOf } from '../../handlers/records.ts';
import { ProblemError } from '../../problem.ts';
import type { Service } from '../../service.ts';
import type { RuleData } from '../pages/rule-page.ts';
import { Counted, DAY_MS, DAYS, daysTo, sum } from './counted.ts';
import { testsOf } from './policy-data.ts';

/** Of how many of its newest decisions it is counted what people say, and which other rules fired. */
const [MOST_SAID, MOST_BESIDE, LAST] = [5000, 500, 10];

/** Throws NOT_FOUND. */
export async function ruleData(name: string, id: string, person: Person, service: Service): Promise<RuleData> {
  const { policy, file } = { ...service.policies.get(name), policy: service.policies.get(name)?.watched.policy };
  const rule = policy?.rules.find((each) => each.id === id);
  if (!policy || !rule || file === undefined) throw new ProblemError('NOT_FOUND');
  const { index, place } = indexedOf(service);
  const now = Date.now();
  const countsBy = async (kind: 'outcome' | 'rule' | 'openRule') =>
    new Counted(await index.dayCounts(kind, now - DAYS * DAY_MS));
  const [outcomes, fired, open] = [await countsBy('outcome'), await countsBy('rule'), await countsBy('openRule')];
  const term = { kind: 'rule', text: id };
  const others = policy.rules.filter((other) => other !== rule).map((other) => other.id);
  const said = DISPOSITIONS.map((text) => ({ kind: 'disposition', text }));
  const [decisions = 0, ...dispositions] = await index.counts([term, ...said], { term, newest: MOST_SAID });
  const [among = 0, ...beside] = await index.counts([term, ...others.map((text) => ({ kind: 'rule', text }))], {
    ...{ term, newest: MOST_BESIDE },
  });
  const search = { filter: filterOf({ rules: [id] }), limit: LAST };
  const last = maySeeDecisions(person) ? (await searchIndex(index, search)).rows : undefined;
  const ids = last?.map((row) => row.id) ?? [];
  const summary = await testsOf(dirname(file), service, KEPT_MS);
  return {
    ...{ name, policy, rule, day: dayOfInstant(now, policy.timeZone) },
    days: daysTo(now, DAYS).map((day) => {
      return { day, counts: [fired.of(day, id), open.of(day, id)], all: sum(outcomes.sums([day])) };
    }),
    ...{ decisions, undetermined: open.sums(daysTo(now, DAYS)).get(id) ?? 0 },
    isAll: decisions < MOST_SAID,
    said: Object.fromEntries(DISPOSITIONS.map((each, i) => [each, dispositions[i] ?? 0])) as RuleData['said'],
    among,
    beside: others.flatMap((other, i) => ((beside[i] ?? 0) > 0 ? [{ rule: other, n: beside[i] ?? 0 }] : [])),
    last,
    references: await readReferences(place, ids, index),
    // The texts name whom the lists name.
    text: maySeeEntries(person) ? textOf(rule) : undefined,
    tests: summary && (summary.fired.get(policy.name)?.get(id) ?? []),
  };
}

/** A page of a rule shows the tests as they ran within this time. */
export const KEPT_MS = 60_000;

/** Its lines, as they are written in its file. */
function textOf(rule: RuleData['rule']): string | undefined {
  const { source, start, end } = spanOf(rule) ?? {};
  return source?.text.slice(source.text.lastIndexOf('\n', start) + 1, end);
}
