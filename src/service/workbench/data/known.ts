/** The log and the policies in force -> the names that filters can ask for, and an error for one that nothing has. */

import { searchIndex } from '../../../audit/query/search-index.ts';
import { CRITERION_ROWS } from '../../../audit/read/criteria.ts';
import { filterOf } from '../../../audit/read/filter.ts';
import { RESERVED_CODES } from '../../../policy/language.ts';
import { didYouMean } from '../../../text.ts';
import { indexedOf } from '../../handlers/records.ts';
import { ProblemError } from '../../problem.ts';
import type { Service } from '../../service.ts';

/** By the name of a filter, sorted. */
export type KnownNames = Readonly<Record<'code' | 'rule' | 'undetermined' | 'policy', readonly string[]>>;

export async function knownNames(service: Service): Promise<KnownNames> {
  const { index } = indexedOf(service);
  const kinds = ['decisive', 'rule', 'openRule', 'policyVersion'] as const;
  const [codes = [], fired = [], open = [], versions = []] = await Promise.all(kinds.map((kind) => index.texts(kind)));
  const policies = [...service.policies.values()].map(({ watched }) => watched.policy);
  const rules = policies.flatMap((policy) => policy.rules);
  const sorted = (names: readonly string[]) => [...new Set(names)].sort();
  const ids = sorted([...fired, ...open, ...rules.map(({ id }) => id)]);
  const decided = [...versions, ...policies.map(({ name, version }) => `${name}@${version}`)];
  return {
    code: sorted([...codes, ...rules.map(({ reason }) => reason), ...RESERVED_CODES]),
    ...{ rule: ids, undetermined: ids },
    policy: sorted(decided.flatMap((text) => [text, text.slice(0, text.indexOf('@'))])),
  };
}

/**
 * Rejects with REQUEST_INVALID for a name that neither a decision nor a policy in force has: it may be misspelt. The
 * message repeats nothing of what was typed, since it may be a phone number.
 */
export async function checkKnown(
  filters: Readonly<Record<string, string | undefined>>,
  known: KnownNames,
  service: Service,
): Promise<void> {
  for (const { name: criterion, api: [filter = ''] = [], title = '', kind } of CRITERION_ROWS) {
    const { [filter]: asked } = filters;
    if (asked === undefined || !Object.hasOwn(known, filter) || (kind === 'textsOrAny' && asked === '*')) continue;
    const names = known[filter as keyof KnownNames];
    if (names.includes(asked)) continue;
    // A digest of a policy, or a code of an earlier form of records.
    const search = { filter: filterOf({ [criterion]: [asked] }), limit: 1 };
    if ((await searchIndex(indexedOf(service).index, search)).rows.length > 0) continue;
    const { hint } = didYouMean(asked, names);
    const problem = `${title}: neither a decision on record nor a policy in force has that name`;
    throw new ProblemError('REQUEST_INVALID', hint === undefined ? problem : `${problem}; ${hint}`);
  }
}
