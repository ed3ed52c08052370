/** The queues of serve.yaml -> which one a decision goes to, and which of their entries no policy has. */

import type { DecisionFields } from '../../audit/entry/entry.ts';
import { VerdictError } from '../../errors.ts';
import { isPersonal } from '../../policy/identities.ts';
import { DEFAULT_CODE, type Policy, SCORE_CODES } from '../../policy/language.ts';
import { didYouMean } from '../../text.ts';
import type { Queue } from '../config.ts';

type Queued = Pick<DecisionFields, 'rules' | 'undetermined' | 'reasons' | 'missing'> & {
  readonly policy: { readonly name: string };
};

/** The first queue that names something of the decision, or that names nothing. */
export function queueOf(queues: readonly Queue[], decision: Queued): Queue | undefined {
  const { reasons: { decisive = [], undetermined: open = [] } = {}, rules, policy } = decision;
  const isOutage = isOfOutage(decision);
  return queues.find(
    ({ codes, undetermined, rules: named, policies, outage = false }) =>
      codes?.some((code) => decisive.includes(code)) ||
      undetermined?.some((code) => open.includes(code)) ||
      named?.some((rule) => rules.includes(rule)) ||
      policies?.includes(policy.name) ||
      (outage && isOutage) ||
      !(codes || undetermined || named || policies || outage),
  );
}

/** Whether only an outage made it: nothing decided, and facts are missing because their source failed. */
function isOfOutage({ reasons, undetermined, missing }: Queued): boolean {
  if (!reasons?.decisive.every((code) => code === DEFAULT_CODE)) return false;
  return undetermined.length > 0 && (missing.sourceFailed?.length ?? 0) > 0;
}

/** Why a person decides, where a queue says nothing else. */
const REASONS: Reasons = {
  approve: ['Identity document seen', 'Reached by phone', 'Contact details confirmed in another way'],
  decline: ['Could not be reached', 'Signs of fraud'],
};

export type Reasons = Readonly<Record<'approve' | 'decline', readonly string[]>>;

/** The reasons of a queue. One that was removed from serve.yaml has the usual ones. */
export function reasonsOf(queues: readonly Queue[], name: string): Reasons {
  return { ...REASONS, ...queues.find((each) => each.name === name)?.reasons };
}

/** A sentence for each entry of a queue that no policy in force has: it is mistyped, or the policy has changed. */
export function unknownEntries(queues: readonly Queue[], policies: readonly Policy[]): readonly string[] {
  const codes = [...policies.flatMap(({ rules }) => rules.map(({ reason }) => reason)), ...SCORE_CODES, DEFAULT_CODE];
  const known = {
    ...{ codes, undetermined: codes, show: policies.flatMap(({ facts }) => [...facts.keys()]) },
    rules: policies.flatMap(({ rules }) => rules.map(({ id }) => id)),
    policies: policies.map(({ name }) => name),
  };
  return queues.flatMap((queue) =>
    (['codes', 'undetermined', 'rules', 'policies', 'show'] as const).flatMap((kind) => {
      const unknown = (queue[kind] ?? []).filter((entry) => !known[kind].includes(entry));
      return unknown.map((entry) => {
        const { hint } = didYouMean(entry, new Set(known[kind]));
        const more = hint === undefined ? '' : `; ${hint}`;
        const what = kind === 'codes' || kind === 'rules' || kind === 'policies' ? kind : `entries of \`${kind}\``;
        return `queue "${queue.name}": no policy has "${entry}", one of its ${what}${more}`;
      });
    }),
  );
}

/** Throws CONFIGURATION_INVALID for a queue that shows a personal fact: the state has what a queue shows in clear. */
export function refusePersonal(queues: readonly Queue[], policies: readonly Policy[]): void {
  for (const { name, show = [] } of queues) {
    const found = show.find((path) => policies.some(({ facts }) => isPersonal(path, facts)));
    if (found === undefined) continue;
    const how = 'show a fact that names nobody, such as a product or an amount';
    throw new VerdictError('CONFIGURATION_INVALID', `queue "${name}" shows \`${found}\`, which is personal: ${how}`);
  }
}
