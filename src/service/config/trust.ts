/** trust.yaml -> whom operations trust with releases, or every problem of the file with its line; and a first one. */

import { createPublicKey, type KeyObject } from 'node:crypto';
import { isDay } from '../../facts/day.ts';
import { reportAt } from '../../platform/files/source.ts';
import { UNIT_MS } from '../../platform/files/times.ts';
import { readItems, readText } from '../../platform/yaml-fields.ts';
import { SUBJECT } from '../../release/manifest.ts';
import { keysById, type Trust, type TrustedKey, USES } from '../../release/trust.ts';
import { readConfigFile } from './read-file.ts';
import { duration, fieldsOf, integer, type Read } from './values.ts';

/** The public half of an Ed25519 key: SPKI in base64, one line. */
const publicKey: Read<KeyObject> = (node, what) => {
  const text = readText(node, what);
  if (text === undefined) return undefined;
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Said below.
  }
  const hint = 'write its SPKI in base64: `openssl pkey -in key.pem -pubout -outform DER | base64`';
  return reportAt(node, 'malformed', `${what} is not a public Ed25519 key`, { hint });
};

const uses: Read<TrustedKey['uses']> = (node, what) =>
  readItems(node, what)?.flatMap((item) => {
    const use = readText(item, `an entry of ${what}`);
    const known = USES.find((each) => each === use);
    if (known !== undefined || use === undefined) return known ?? [];
    return reportAt(item, 'wrong-value', `expected one of ${USES.join(', ')}`) ?? [];
  });

/** Who somebody is to the issuer. */
const subject: Read<string> = (node, what) => {
  const text = readText(node, what);
  if (text === undefined || SUBJECT.safeParse(text).success) return text;
  return reportAt(node, 'malformed', `${what} has to be one line of up to 200 characters`);
};

const series: Read<string> = (node, what) => readText(node, what);

/** A share such as `2 %`. */
const share: Read<number> = (node, what) => {
  const [, number] = /^(\d{1,3}(?:\.\d{1,3})?) ?%$/.exec(readText(node, what) ?? '') ?? [];
  if (number !== undefined && Number(number) <= 100) return Number(number) / 100;
  return reportAt(node, 'malformed', `${what} is not a share`, { hint: 'write one such as 2 %' });
};

const day: Read<string> = (node, what) => {
  const text = readText(node, what);
  if (text === undefined || isDay(text)) return text;
  return reportAt(node, 'malformed', `${what} is not a day`, { hint: 'write one such as 2026-12-31' });
};

const key = fieldsOf({ key: publicKey, use: uses }, { person: subject, until: day });
const keys: Read<Trust['keys']> = (node, what) => {
  const read = readItems(node, what)?.flatMap((item) => {
    const { key: object, use = [], person, until } = key(item, 'a key') ?? {};
    return object ? [{ key: object, uses: use, person, until }] : [];
  });
  return read && keysById(read);
};

const tighten = fieldsOf({ atMost: share, confirmWithin: duration(UNIT_MS.hour) }, {});
const trust = fieldsOf({ series, approvals: integer(1, 9), keys }, { evidenceDays: integer(0, 90), tighten });

/** Throws CONFIGURATION_INVALID with the problems of the file. */
export function readTrust(file: string): Trust {
  const {
    tighten,
    evidenceDays = EVIDENCE_DAYS,
    ...read
  } = readConfigFile(file, { name: 'trust.yaml', howToBegin: '`verdict release init` prints one' }, (node) =>
    trust(node, 'trust.yaml'),
  );
  const alone = tighten && { atMost: tighten.atMost, confirmWithinMs: tighten.confirmWithin };
  return { ...read, evidenceDays, tighten: alone };
}

const EVIDENCE_DAYS = 7;

/** The text of a first trust.yaml, by which one other person approves. */
export function trustText(series: string, signing: KeyObject): string {
  const spki = createPublicKey(signing).export({ type: 'spki', format: 'der' }).toString('base64');
  return `# Whom this machine trusts with releases. Keep it where nobody who edits rules can write.
series: ${series}
approvals: 1
keys:
  # The service signs for people who signed in.
  - { key: ${spki}, use: [approve, activate] }
  # A person's own key: openssl genpkey -algorithm ed25519 -out ben.pem
  # - { key: …, use: [approve], person: ben@bank.example }
`;
}
