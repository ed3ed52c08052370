/** Folders of rules for tests of releases: a policy with lists, tests, a mapping; and the proof of a change of them. */

import { makeProof, type Proof, type ProofOptions } from '../../../src/release/evidence/proof.ts';
import { temporaryFolder } from '../policy/policy.ts';

/** The day of the proofs. */
export const DAY = '2026-11-20';

/** The files of a folder by path. */
export type RuleFiles = Readonly<Record<string, string>>;

export const RULES: RuleFiles = {
  'signals.yaml': 'signals: { phone.type: { at: phone.type } }\n',
  'signup.yaml': `policy: signup
version: "1"
default: accept
facts:
  context.debt: { type: integer }
  context.shop: { type: string }
lists:
  people: { file: lists/people.txt }
  shops: [Corner Shop, { value: Night Market, until: 2027-03-31 }]
rules:
  - { id: voip, when: { phone.type: voip }, then: review, whenUnknown: ignore }
  - { id: debt, when: { context.debt: { atLeast: 80 } }, then: review, whenUnknown: ignore }
  - { id: person, when: { applicant.email: { inList: people } }, then: reject, whenUnknown: ignore }
  - { id: shop, when: { context.shop: { inList: shops } }, then: review, whenUnknown: ignore }
guarantees:
  - { id: no-voip, never: accept, when: { phone.type: voip } }
`,
  'signup.test.yaml': `policy: signup.yaml
mapping: signals.yaml
at: today
tests:
  - { name: much debt, facts: { context.debt: 90 }, expect: { outcome: review } }
  - { name: little debt, facts: { context.debt: 10 }, expect: { outcome: accept } }
`,
  'lists/people.txt': 'ann.example@mail.example\nbob.example@mail.example\n',
};

/** The rules with texts replaced in the policy, and with other files. */
export function edited(replacements: Readonly<Record<string, string>>, files: RuleFiles = {}, of = RULES): RuleFiles {
  let policy = of['signup.yaml'] ?? '';
  for (const [text, other] of Object.entries(replacements)) {
    if (!policy.includes(text)) throw new Error(`the policy has no ${text}`);
    policy = policy.replaceAll(text, other);
  }
  return { ...of, 'signup.yaml': policy, ...files };
}

/** The proof of a change of rules. */
export function proofOf(files: RuleFiles, base?: RuleFiles, more: Partial<ProofOptions> = {}): Promise<Proof> {
  const folders = { files: temporaryFolder(files), base: base && temporaryFolder(base) };
  return makeProof({ ...folders, mapping: 'signals.yaml', day: DAY, ...more });
}
