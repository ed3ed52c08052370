/** The queues of serve.yaml -> which one a decision goes to, and which of their entries no policy has. */

import type { DecisionFields } from '../../audit/entry/entry.ts';
import { DEFAULT_CODE, type Policy, SCORE_CODES } from '../../policy/language.ts';
import { didYouMean } from '../../text.ts';
import type { Queue } from '../config.ts';

type Queued = Pick<DecisionFields, 'rules' | 'undetermined' | 'reasons'> & {
  readonly policy: { readonly name: string };
};

/** The first queue that names a code, a rule or the policy of the decision, or that names nothing. */
export function queueOf(queues: readonly Queue[], { reasons, rules, undetermined, policy }: Queued): Queue | undefined {
  const codes = [...(reasons?.decisive ?? []), ...(reasons?.undetermined ?? [])];
  return queues.find(
    (each) =>
      each.codes?.some((code) => codes.includes(code)) ||
      each.rules?.some((rule) => rules.includes(rule) || undetermined.includes(rule)) ||
      each.policies?.includes(policy.name) ||
      !(each.codes || each.rules || each.policies),
  );
}

/** A sentence for each entry of a queue that no policy in force has: it is mistyped, or the policy has changed. */
export function unknownEntries(queues: readonly Queue[], policies: readonly Policy[]): readonly string[] {
  const known = {
    codes: [...policies.flatMap(({ rules }) => rules.map(({ reason }) => reason)), ...SCORE_CODES, DEFAULT_CODE],
    rules: policies.flatMap(({ rules }) => rules.map(({ id }) => id)),
    policies: policies.map(({ name }) => name),
  };
  return queues.flatMap((queue) =>
    (['codes', 'rules', 'policies'] as const).flatMap((kind) => {
      const unknown = (queue[kind] ?? []).filter((entry) => !known[kind].includes(entry));
      return unknown.map((entry) => {
        const { hint } = didYouMean(entry, new Set(known[kind]));
        const more = hint === undefined ? '' : `; ${hint}`;
        return `queue "${queue.name}": no policy has "${entry}", one of its ${kind}${more}`;
      });
    }),
  );
}
