/** The policies in force -> how each stands: its review rate, since when it decides, its tests, and what is amiss. */

import { dirname } from 'node:path';
import type { Service } from '../../service.ts';
import type { PolicyCard } from '../pages/policy-pages.ts';
import { POLICIES } from '../words/policies.ts';
import { DAY_MS, DAYS } from './counted.ts';
import { alertsOf, inForce } from './home-data.ts';
import { testsOf } from './policy-data.ts';
import { KEPT_MS } from './rule-data.ts';

/** Of so many of its newest decisions, the review rate is told. */
const MOST = 5000;

export async function policyCards(service: Service): Promise<readonly PolicyCard[]> {
  const { index, follower } = service.records ?? {};
  const counting = follower?.isReady ? index : undefined;
  const now = Date.now();
  const versions = (await counting?.dayCounts('policyVersion', now - DAYS * DAY_MS)) ?? [];
  const standing = await inForce(service, counting);
  const cards = [...service.policies.values()].map(async (served, i) => {
    const { policy } = served.watched;
    const own = versions.filter(({ text }) => text?.startsWith(`${policy.name}@`));
    const [term, review] = [
      { kind: 'policy', text: policy.name },
      { kind: 'outcome', text: 'review' },
    ] as const;
    const [of = 0, reviews = 0] = (await counting?.counts([term, review], { term, newest: MOST })) ?? [];
    const tests = await testsOf(dirname(served.file), service, KEPT_MS);
    const failed = tests && tests.failed > 0 ? [POLICIES.failing(tests.failed)] : [];
    return {
      ...(standing[i] ?? { name: served.name, version: policy.version }),
      rules: policy.rules.length,
      decisions: own.reduce((sum, { decisions }) => sum + decisions, 0),
      rate: counting && { reviews, of },
      tests,
      alerts: [...alertsOf(served, now), ...failed],
    };
  });
  return Promise.all(cards);
}
