/** A small policy with a part of each kind, and edits of it, some of them or all -> the policy with these edits. */

import type { Policy } from '../../../src/policy/language.ts';
import { loadPolicyText } from '../../../src/policy/read/parse.ts';

/** The edits of a policy: what stands at a place before, and what stands there now. */
const EDITS = {
  'fact context.burden': ['{ ratio: [context.debts, context.income] }', '{ ratio: [context.debts, 900] }'],
  'parameter least': ['80', '85'],
  'list blocked': ['[GB, IE]', '[GB, { value: IE, until: 2026-06-30 }, FR]'],
  'condition risky': ['{ atLeast: 60 }', '{ atLeast: 50 }'],
  'velocity sameIp': ['1 hour', '24 hours'],
  'score review': ['40', '{ atLeast: 35, notice: "We check it." }'],
  'score reject': ['90', '80'],
  'setting default': ['accept', 'review'],
  'setting whenUnknown': ['review', 'ignore'],
  'rule changed': ['points: 15', 'points: 20, owner: risk, description: Costs more.'],
  'rule removed': ['  - { id: removed, when: { phone.valid: false }, then: review }\n', ''],
  'rule added': ['', '  - { id: added, when: { phone.score: { above: $most, atLeast: $least } }, then: reject }\n'],
  'rule observed': ['then: review', 'then: review, mode: shadow'],
  'rule ended': ['then: reject', 'then: reject, until: 2026-11-19'],
  'table limits': ['[voip, { atLeast: 50 }, review]', '[voip, { atLeast: 55 }, reject]'],
} as const;

export type Edited = keyof typeof EDITS;

/** By kind and name. */
export const EDITED = Object.keys(EDITS) as readonly Edited[];

/** The policy with some of the edits. The new rule comes with its parameter. */
export function policyWith(isMade: (edit: Edited) => boolean): Policy {
  const at = (edit: Edited) => EDITS[edit][isMade(edit) ? 1 : 0];
  // It names a parameter that is edited by itself too.
  const most = isMade('rule added') ? ', most: 95' : '';
  const text = `policy: test
version: "1"
default: ${at('setting default')}
whenUnknown: ${at('setting whenUnknown')}
facts:
  context.debts: { type: number }
  context.income: { type: number }
  context.burden: { type: number, compute: ${at('fact context.burden')} }
score: { review: ${at('score review')}, reject: ${at('score reject')} }
ruleSets: [set.yaml]
rules:
  - { id: changed, when: { context.burden: { above: 0.5 } }, ${at('rule changed')} }
${at('rule removed')}${at('rule added')}  - { id: often, when: { velocity.sameIp: { atLeast: 3 } }, points: 20 }
  - { id: observed, when: { phone.country: US }, ${at('rule observed')} }
  - { id: ended, when: { phone.country: FR, phone.type: pager }, ${at('rule ended')} }
  - { id: pager, when: { phone.type: pager }, points: 65 }
`;
  const set = `parameters: { least: ${at('parameter least')}${most} }
conditions: { risky: { email.address.score: ${at('condition risky')} } }
lists: { blocked: ${at('list blocked')} }
velocity: { sameIp: { count: applications, by: ip, within: ${at('velocity sameIp')} } }
rules:
  - { id: both, when: { all: [risky, { phone.score: { atLeast: $least } }] }, then: review, message: "From {$least}." }
  - { id: listed, when: { phone.country: { inList: blocked } }, then: reject, final: true }
tables:
  - id: limits
    columns: [phone.type, email.address.score, then]
    rows:
      - ${at('table limits')}
      - [pager, { atLeast: 60 }, review]
`;
  return loadPolicyText(text, { files: { 'set.yaml': set } });
}
