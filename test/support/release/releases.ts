/** Logs with releases, for tests: four people with keys, whom they are trusted with, and a tiny folder of rules. */

import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { initAuditLog } from '../../../src/audit/init.ts';
import { homeOfLog, type OpenAuditLog, openAuditLog } from '../../../src/audit/log.ts';
import type { LogPlace } from '../../../src/audit/place.ts';
import { listEvents } from '../../../src/audit/query/list-events.ts';
import type { Files } from '../../../src/audit/store/files.ts';
import { activate, addEvidence, beginSeries, type Means, propose, sayOf } from '../../../src/release/acts.ts';
import { impactText, makeImpact } from '../../../src/release/evidence/impact.ts';
import { type Evidence, type EvidenceOf, makeEvidence } from '../../../src/release/evidence/make.ts';
import { inFolder, type Texts } from '../../../src/release/files.ts';
import { policiesIn } from '../../../src/release/policies.ts';
import { openReleases, type ReleaseStore } from '../../../src/release/store.ts';
import { keysById, type Trust, type TrustedKey } from '../../../src/release/trust.ts';
import { hastyFiles } from '../audit/decisions.ts';
import { temporaryFolder } from '../policy/policy.ts';

/** When the releases of a test are made. */
export const NOW = Date.UTC(2026, 10, 20, 9);
export const DAY = '2026-11-20';

/** A policy, a rule set, a list, the mapping and a test. */
export const TINY: Texts = {
  'lists/people.txt': 'ann@mail.example\nbob@mail.example\n',
  'rule-sets/debts.yaml': 'rules:\n  - { id: debt, when: { context.debt: { atLeast: 80 } }, then: review }\n',
  'signals.yaml': 'signals: { phone.type: { at: phone.type } }\n',
  'signup.test.yaml':
    'policy: signup.yaml\nmapping: signals.yaml\nat: today\n' +
    'tests: [{ name: debt, facts: { context.debt: 90 }, expect: { outcome: review } }]\n',
  'signup.yaml':
    'policy: signup\nversion: "1"\ndefault: accept\nfacts: { context.debt: { type: integer } }\n' +
    'lists: { people: { file: lists/people.txt } }\nruleSets: [rule-sets/debts.yaml]\nrules:\n' +
    '  - { id: person, when: { applicant.email: { inList: people } }, then: reject, whenUnknown: ignore }\n',
};

/** The tiny folder with another least debt, which is looser the higher it is. */
export function withDebt(least: number, files: Texts = {}): Texts {
  return { ...TINY, 'rule-sets/debts.yaml': (TINY['rule-sets/debts.yaml'] ?? '').replace('80', `${least}`), ...files };
}

/** Proofs are the same whoever makes them: that of the same files is made once. */
const made = new Map<string, ReturnType<typeof makeEvidence>>();

async function makeOnce({ counting, ...of }: EvidenceOf): Promise<Evidence> {
  const key = JSON.stringify(of);
  const proof = made.get(key) ?? makeEvidence(of);
  made.set(key, proof);
  return { ...(await proof), ...(counting ? { impact: await countIn(of, counting) } : {}) };
}

/** The policies of the same files, which are read once. */
const read = new Map<string, ReturnType<typeof policiesOf>>();

function policiesOf(texts: Texts, mapping: EvidenceOf['mapping']) {
  return inFolder(texts, (at) => new Map(Array.from(policiesIn(at, mapping), ([name, { policy }]) => [name, policy])));
}

function readOnce(texts: Texts, mapping: EvidenceOf['mapping']) {
  const key = JSON.stringify([texts, mapping]);
  const policies = read.get(key) ?? policiesOf(texts, mapping);
  read.set(key, policies);
  return policies;
}

async function countIn({ files, base, mapping }: EvidenceOf, { place, until }: NonNullable<EvidenceOf['counting']>) {
  const [before, after] = [base ? readOnce(base, mapping) : new Map(), readOnce(files, mapping)];
  return impactText(await makeImpact({ place, until, base: before, release: after }));
}

/** A person with a key. */
export interface Signer {
  readonly by: string;
  readonly key: KeyObject;
}

function newSigner(by: string): Signer {
  return { by, key: generateKeyPairSync('ed25519').privateKey };
}

/** Of two who write rules, one who only approves, and one who may also tighten. */
export const [ANA, BEN, CLEO, DAN] = ['ana', 'ben', 'cleo', 'dan'].map((name) => newSigner(`${name}@bank.example`)) as [
  Signer,
  Signer,
  Signer,
  Signer,
];

/** Whom nobody trusts. */
export const EVE = newSigner('eve@bank.example');

const publicOf = ({ key }: Pick<Signer, 'key'>): KeyObject => createPublicKey(key);

/** The log with its releases. */
export interface TestReleases {
  readonly place: LogPlace;
  readonly log: OpenAuditLog;
  readonly means: Means;
  readonly trust: Trust;
  readonly store: ReleaseStore;
  /** Proposes files by Ana and makes the evidence; gives the number. */
  proposed(files?: Texts, more?: Partial<Parameters<typeof propose>[1]>): Promise<number>;
  approve(number: number, signer?: Signer): Promise<unknown>;
  activate(number: number): Promise<unknown>;
  /** All of that; gives the number. */
  released(files?: Texts): Promise<number>;
  /** The numbers of the releases that the log says were put in force, in that order. */
  activatedInLog(): Promise<readonly number[]>;
}

/** The place of a new log in a folder. */
export async function newLogPlace(): Promise<LogPlace> {
  const root = temporaryFolder();
  const place = { dir: join(root, 'log'), keys: join(root, 'keys') };
  await initAuditLog(place);
  return place;
}

/** Opens a log and begins its releases, unless it has them. `of`: further trust. */
export async function openReleasesIn(
  place: LogPlace,
  { files, now = () => NOW, ...of }: { readonly files?: Files; readonly now?: () => number } & Partial<Trust> = {},
): Promise<TestReleases> {
  const log = await openAuditLog(place, place.dir === undefined ? {} : { files: files ?? hastyFiles });
  onTestFinished(() => log.close());
  const means: Means = { log, now, make: makeOnce };
  const series = await beginSeries(means);
  const store = openReleases(homeOfLog(log));
  const keys: TrustedKey[] = [
    { key: createPublicKey(await store.signingKey()), uses: ['approve', 'activate'] },
    ...[ANA, BEN, CLEO, DAN].map((signer): TrustedKey => {
      const uses = signer === DAN ? (['approve', 'tighten'] as const) : (['approve'] as const);
      return { key: publicOf(signer), uses, person: signer.by };
    }),
  ];
  const trust = { series, approvals: 1, keys: keysById(keys), evidenceDays: 7, ...of };
  const proposed: TestReleases['proposed'] = async (texts = TINY, more = {}) => {
    const asked = { files: texts, mapping: 'signals.yaml', title: 'A change', authors: [ANA.by], ...more };
    const { number } = (await propose(means, asked)).manifest;
    await addEvidence(means, number, { day: new Date(now()).toISOString().slice(0, DAY.length) });
    return number;
  };
  const approve: TestReleases['approve'] = (number, { by, key } = CLEO) =>
    sayOf(means, number, trust, { by, key, verdict: 'approve' });
  const put: TestReleases['activate'] = (number) => activate(means, number, trust, { by: ANA.by });
  return {
    ...{ place, log, means, trust, store, proposed, approve, activate: put },
    released: async (texts) => {
      const number = await proposed(texts);
      await approve(number);
      await put(number);
      return number;
    },
    activatedInLog: async () => {
      const events = await listEvents(place, { types: ['release.activated'] });
      return events.map(({ details }) => Number.parseInt(details?.['release'] ?? '', 10));
    },
  };
}

/** The text of trust.yaml. */
export function trustYaml({ series, approvals, keys, tighten }: Trust): string {
  const lines = Array.from(keys.values(), trustLineOf);
  const alone = tighten ? `tighten: { atMost: ${tighten.atMost * 100} %, confirmWithin: 1 hour }\n` : '';
  return `series: ${series}\napprovals: ${approvals}\n${alone}keys:\n${lines.join('')}`;
}

/** The text of a file with the private key. */
export function pemOf({ key }: Signer): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** The line of somebody who approves. */
export function trustLine({ by, key }: Signer): string {
  return trustLineOf({ key: publicOf({ key }), uses: ['approve'], person: by });
}

function trustLineOf({ key, uses, person }: TrustedKey): string {
  const spki = key.export({ type: 'spki', format: 'der' }).toString('base64');
  return `  - { key: ${spki}, use: [${uses.join(', ')}]${person === undefined ? '' : `, person: ${person}`} }\n`;
}
