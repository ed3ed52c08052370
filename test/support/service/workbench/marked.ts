/** A number -> a person, a caller and a reviewer with recognisable values; a response -> the marks that are in it. */

import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quickRules } from '../rules.ts';

/**
 * What a mark stands for. `personal`: the applicant, and facts declared personal; `value`: another fact, and the
 * reference; `list`: an entry of a list, or a literal that a personal fact is compared with; `text`: a comment of the
 * policy; `words`: what a reviewer wrote, and their name.
 */
export type Kind = 'personal' | 'value' | 'list' | 'text' | 'words';

const MARKS: Readonly<Record<Kind, string>> = {
  personal: 'kestrel',
  value: 'dunlin',
  list: 'whimbrel',
  text: 'fulmar',
  words: 'garganey',
};

/** Phone numbers and IP addresses have no letters. */
const [PHONE, IP] = ['4477009', '198.51.'];

function markOf(kind: Kind, n: number): string {
  return `${MARKS[kind]}${String(n).padStart(5, '0')}`;
}

/** The request of a decision: valid for most numbers; some facts of every seventh cannot be read. */
export function markedRequest(n: number) {
  const digits = String(n).padStart(5, '0');
  const [personal, value] = [markOf('personal', n), markOf('value', n)];
  const isBroken = n % 7 === 6;
  // Somebody whom the list `blocked` names.
  const email = n % 5 === 3 ? `${markOf('list', 6)}@plover.example` : `${personal}@${personal}.example`;
  return {
    policy: 'marked',
    reference: `ONB ${value}`,
    applicant: isBroken
      ? { phoneNo: `tel ${personal}`, email: `${personal} at plover`, ip: `host ${personal}` }
      : {
          phoneNo: `+${PHONE}${digits}`,
          email,
          ip: `${IP}${(n >> 8) & 255}.${n & 255}`,
        },
    context: {
      branch: `Branch ${value}`,
      limit: isBroken ? `about ${value}` : n,
      nationalId: `id ${personal}`,
      salary: isBroken ? `about ${personal}` : 10,
    },
  };
}

/** What somebody writes about a decision. */
export function markedWords(n: number): string {
  return `They said ${markOf('words', n)}.`;
}

/** The name of a key. */
export const MARKED_NAME = markOf('words', 99_999);

const PATTERNS = Object.entries(MARKS).map(([kind, mark]) => {
  const base64 = [0, 1, 2].map((before) => {
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + mark.length) * 8) / 6);
    return Buffer.concat([Buffer.alloc(before), Buffer.from(mark)])
      .toString('base64')
      .slice(from, to);
  });
  const plain = [mark, Buffer.from(mark).toString('hex')].join('|');
  return [kind as Kind, new RegExp(plain, 'i'), new RegExp(base64.join('|'))] as const;
});

const IDENTITY = new RegExp(`${PHONE}\\d{5}|${IP.replaceAll('.', '\\.')}\\d+\\.\\d+`);

/** The kinds of marks in a text: as they are, in hexadecimal digits, or in base64. */
export function kindsIn(text: string): readonly Kind[] {
  const found = PATTERNS.filter(([, plain, base64]) => plain.test(text) || base64.test(text)).map(([kind]) => kind);
  return IDENTITY.test(text) ? [...new Set<Kind>([...found, 'personal'])] : found;
}

const POLICY = `# Ask ${markOf('text', 1)} before you change it.
policy: marked
version: "1"
description: Every part of it that may name a person does.
default: accept
facts:
  context.branch: { type: string }
  context.limit: { type: number }
  context.nationalId: { type: string, personal: true }
  context.salary: { type: number, personal: true }
parameters:
  friend: ${markOf('list', 1)}@plover.example
  cap: 20
lists:
  blocked: { file: lists/blocked.csv }
  known: [${markOf('list', 2)}]
  branches: [north, ${markOf('list', 8)}]
  partners: [${markOf('list', 14)}.example]
  offices: [${markOf('list', 15)}]
conditions:
  isBlocked: { applicant.email: { inList: blocked } }
  isFriend: { applicant.email: { isNot: $friend } }
guarantees:
  - id: no-blocked
    never: accept
    when:
      applicant.email: ${markOf('list', 3)}@plover.example
      applicant.emailDomain: { notInList: partners }
      context.branch: { notInList: offices }
rules:
  - { id: blocked, when: isBlocked, then: reject, message: Blocked. }
  - { id: named, when: { applicant.email: [${markOf('list', 3)}@plover.example, a@plover.example] }, then: reject }
  - { id: not-named, when: { applicant.email: { isNot: ${markOf('list', 4)}@plover.example } }, points: 1 }
  - { id: friend, when: isFriend, points: 1 }
  - { id: id-known, when: { context.nationalId: { inList: known } }, then: reject }
  - { id: id-begins, when: { context.nationalId: { contains: ${markOf('list', 5)} } }, then: reject }
  - { id: id-given, when: { context.nationalId: { known: true } }, then: review }
  - { id: salary, when: { context.salary: { below: 5 } }, points: 5 }
  - { id: branch, when: { context.branch: { contains: branch } }, then: review, message: "{context.branch}" }
  - { id: domain, when: { applicant.emailDomain: { isNot: plover.example } }, then: review }
  - { id: partner, when: { applicant.emailDomain: { inList: partners } }, then: accept, final: true }
  - { id: office, when: { context.branch: { inList: offices } }, then: accept, final: true }
  - { id: branch-listed, when: { context.branch: { inList: branches } }, then: review }
  - { id: limit, when: { context.limit: { above: $cap } }, then: review }
score: { review: 6 }
`;

const BLOCKED = `value,note,until
${markOf('list', 6)}@plover.example,told by ${markOf('list', 7)},2099-01-01
b@plover.example,,
`;

/** The second version: other entries of a list, other literals, a rule more and one less. */
export function editMarkedRules(folder: string): void {
  const edited = POLICY.replace('version: "1"', 'version: "2"')
    .replace(markOf('list', 8), markOf('list', 9))
    .replaceAll(markOf('list', 4), markOf('list', 10))
    .replace(markOf('list', 2), markOf('list', 11))
    .replace(markOf('list', 1), markOf('list', 12))
    .replace(
      / {2}- \{ id: id-begins.*\n/,
      `  - { id: new, when: { applicant.email: ${markOf('list', 13)}@plover.example }, points: 1 }\n`,
    );
  writeFileSync(join(folder, 'marked.yaml'), edited);
}

/** A folder of rules with the policy `marked`; a process proves its guarantees, unless it is to have none. */
export function markedRules({ hasGuarantees = true }: { readonly hasGuarantees?: boolean } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'marked-'));
  writeFileSync(join(folder, 'signals.yaml'), readFileSync(join(quickRules(), 'signals.yaml')));
  mkdirSync(join(folder, 'lists'));
  writeFileSync(join(folder, 'lists', 'blocked.csv'), BLOCKED);
  const policy = hasGuarantees ? POLICY : POLICY.replace(/^guarantees:\n(?: .*\n)+/m, '');
  writeFileSync(join(folder, 'marked.yaml'), policy);
  return folder;
}
