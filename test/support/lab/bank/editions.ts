/** Edits of the policy, each made by hand in its files, with the edition that it makes. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Edition, NOW } from './rules.ts';

/** The texts of a policy by the names of its files. */
type Texts = Readonly<Record<string, string>>;

type Replacement = readonly [file: string, before: string, after: string];

/** An edit, and what it is an edit of. */
export interface Edit {
  readonly name: string;
  /** The name of what it is an edit of. */
  readonly part: string;
  readonly edits: readonly Replacement[];
  readonly edition: Partial<Edition>;
}

const POLICY = 'tidewater.yaml';
const FOLDER = join(import.meta.dirname, 'policy');

/** The files of the policy. */
export function policyTexts(): Texts {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]));
}

/** Edits the files; each text that is replaced stands once. */
export function edited(texts: Texts, edits: readonly Replacement[]): Texts {
  const result: Record<string, string> = { ...texts };
  for (const [file, before, after] of edits) {
    const parts = (result[file] ?? '').split(before);
    if (parts.length !== 2) throw new Error(`${file} has ${before} ${parts.length - 1} times`);
    result[file] = parts.join(after);
  }
  return result;
}

/** A line of the policy, without its rule. */
function dropOf(line: string): Replacement {
  return [POLICY, `${line}\n`, ''];
}

const DEVICE_MANY =
  '  - { id: device-many, when: { velocity.device7d: { atLeast: 3 } }, then: review, points: 20, whenUnknown: ignore }';
const FRAUD_BEFORE =
  '  - { id: fraud-before, when: { velocity.fraud90d: { atLeast: 1 } }, then: review, whenUnknown: ignore }';
const REJECTED_BEFORE = '  - { id: rejected-before, when: { velocity.rejected30d: { atLeast: 1 } }, then: review }';

/** The policy before. */
export const THEN: Edition = {
  ...{ ...NOW, portWindow: 7, burst: 8, loadLimit: 0.7, review: 45, reject: 95 },
  dropped: ['device-many', 'rejected-before', 'fraud-before'],
};

export const TO_THEN: readonly Replacement[] = [
  [POLICY, 'version: "2"', 'version: "1"'],
  [POLICY, 'portWindow: 14 days', 'portWindow: 7 days'],
  [POLICY, 'burst: 4', 'burst: 8'],
  [POLICY, 'loadLimit: 0.6', 'loadLimit: 0.7'],
  [POLICY, 'review: 40, reject: 80', 'review: 45, reject: 95'],
  dropOf(DEVICE_MANY),
  dropOf(REJECTED_BEFORE),
  dropOf(FRAUD_BEFORE),
  [POLICY, '  device7d: { count: distinct email, by: context.device, within: 7 days }\n', ''],
  [POLICY, '  rejected30d: { count: applications, by: email, where: { outcome: reject }, within: 30 days }\n', ''],
];

/** One of each kind. */
export const EDITS: readonly Edit[] = [
  {
    name: 'a parameter',
    part: 'portWindow',
    edits: [[POLICY, 'portWindow: 14 days', 'portWindow: 30 days']],
    edition: { portWindow: 30 },
  },
  {
    name: 'a band of the score',
    part: 'review',
    edits: [[POLICY, 'review: 40,', 'review: 35,']],
    edition: { review: 35 },
  },
  {
    name: 'a list in a file',
    part: 'blockedDomains',
    edits: [['lists/blocked-domains.txt', 'mailinator.com\n', 'post.example\n']],
    edition: { blockedDomains: ['post.example', 'trash.example'] },
  },
  {
    name: 'a named condition',
    part: 'credit',
    edits: [[POLICY, 'credit: { context.product: [card, loan] }', 'credit: { context.product: loan }']],
    edition: { credit: ['loan'] },
  },
  {
    name: 'a row of a table in a file',
    part: 'country',
    edits: [['tables/country.csv', 'GB,{ atLeast: 70 }', 'GB,{ atLeast: 45 }']],
    edition: { scoreOfFirst: 45 },
  },
  {
    name: 'a rule that goes',
    part: 'device-many',
    edits: [dropOf(DEVICE_MANY)],
    edition: { dropped: ['device-many'] },
  },
  {
    name: 'a rule that becomes a shadow rule',
    part: 'load-high',
    edits: [
      [
        POLICY,
        'load: { above: $loadLimit }] }, then: reject,',
        'load: { above: $loadLimit }] }, mode: shadow, then: reject,',
      ],
    ],
    edition: { shadowed: ['hosting', 'load-high'] },
  },
  {
    name: 'a computed fact',
    part: 'context.worse',
    edits: [[POLICY, '{ maximum: [phone.score', '{ minimum: [phone.score']],
    edition: { worse: Math.min },
  },
  {
    name: 'the window of a velocity',
    part: 'phone30d',
    edits: [[POLICY, 'by: phoneNo, within: 30 days', 'by: phoneNo, within: 5 days']],
    edition: { phoneDays: 5 },
  },
  {
    name: 'the points of a rule',
    part: 'phone-high',
    edits: [[POLICY, 'riskLevel: high }, points: 25', 'riskLevel: high }, points: 40']],
    edition: { pointsOfHigh: 40 },
  },
];
