/** What a policy says of people is encrypted in its archive, erased with them, and missed by no other decision. */

import { hash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addIndexKey } from '../../../src/audit/keys/key-folder.ts';
import { PolicyKeys } from '../../../src/audit/keys/policy-keys.ts';
import { type AuditLogOptions, homeOfLog } from '../../../src/audit/log.ts';
import type { LogPlace } from '../../../src/audit/place.ts';
import { readRecord } from '../../../src/audit/query/decision-record.ts';
import { replayLog } from '../../../src/audit/query/replay/replay.ts';
import { searchLog } from '../../../src/audit/query/search.ts';
import { BodyReader } from '../../../src/audit/read/read-log.ts';
import { eraseRecords, eraseSubject } from '../../../src/audit/retain/erase.ts';
import { type Files, folderAt, realFiles } from '../../../src/audit/store/files.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { filesWith, type LogFolder, localVerifier, logFolder } from '../../support/audit/decisions.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const NORA = { phoneNo: '+44 7700 900123', email: 'Nora.Whitfield@Juniper-Lane.example', ip: '203.0.113.11' };
const OWEN = { phoneNo: '+44 7700 900456', email: 'owen@saltbush-books.example', ip: '203.0.113.12' };

/** Nora in every place that a policy has for a person, each time in another spelling. */
const RULES = `lists:
  blockedNumbers: ["447700900123", "447700900789"]
  staff:
    description: People of ours
    entries: [{ value: nora.whitfield@juniper-lane.example, note: "Nora Kestrel, born 1980-01-01" }]
  addresses: [203.0.113.11]
  unused: ["+44 7700 900 123"]
conditions:
  isNora: { applicant.email: NORA.WHITFIELD@juniper-lane.example }
rules:
  - { id: blocked-number, when: { applicant.phoneNo: { inList: blockedNumbers } }, then: reject }
  - { id: staff, when: { not: { applicant.email: { inList: staff } } }, then: review }
  - { id: address, when: { applicant.ip: { notInList: addresses } }, points: 1 }
  - { id: nobody-named, when: { all: [{ not: isNora }, { applicant.phoneNo: { notIn: ["447700900123", "447700900789"] } }] }, points: 1 }
tables:
  - { id: numbers, columns: [applicant.phoneNo, then], rows: [["447700900123", review], [{ isNot: "447700900123" }, accept]] }
`;
const POLICY = `${HEAD}${RULES}`;
const NORAS_TEXTS = { phone: 5, email: 2, ip: 1 };

/** Decides on applicants, one after the other; returns the ids. */
async function decideOn(
  folder: LogFolder,
  policy: Policy,
  applicants: readonly (typeof NORA)[],
  options: Partial<AuditLogOptions> = {},
): Promise<string[]> {
  const audit = await folder.open(options);
  try {
    const decider = createDecider({ policy, verify: localVerifier, audit });
    const ids: string[] = [];
    for (const applicant of applicants) ids.push((await decider.decide(applicant)).id);
    return ids;
  } finally {
    await audit.close();
  }
}

async function erase(folder: LogFolder, subject: string) {
  const audit = await folder.open();
  try {
    return await eraseSubject({ log: audit, subject });
  } finally {
    await audit.close();
  }
}

const archivesOf = ({ dir }: LogFolder) => readdirSync(join(dir, 'policies')).sort();
const keyFilesOf = ({ keys }: LogFolder) => readdirSync(join(keys, 'policies')).sort();

/** Where in files a text stands: as it is, in hexadecimal digits, in base64, or as a hash that needs no key. */
function findText(folder: string, text: string): string[] {
  const bytes = Buffer.from(text);
  const shifted = [0, 1, 2].map((before) => {
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + bytes.length) * 8) / 6);
    return Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(from, to);
  });
  const hashes = ['md5', 'sha1', 'sha256'].map((name) => hash(name, text, 'hex'));
  const forms = [text, bytes.toString('hex'), ...shifted, ...hashes, ...hashes.map((one) => Buffer.from(one, 'hex'))];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const content = readFileSync(join(entry.parentPath, entry.name));
    return forms.filter((form) => content.includes(form) || entry.name.includes(String(form))).map(() => entry.name);
  });
}

const PERSONAL = ['447700900123', '7700 900 123', 'nora.whitfield', 'NORA.WHITFIELD', 'Kestrel', '203.0.113.11'];

describe('what a policy says of people', () => {
  it('stands in no file of the log where it comes from CSV files either', async () => {
    const folder = await logFolder();
    const policy = policyOf(
      `${HEAD}lists:\n  staff: { file: staff.csv }\nrules:\n` +
        '  - { id: staff, when: { not: { applicant.email: { inList: staff } } }, points: 1 }\n' +
        'tables:\n  - { id: numbers, rows: { file: numbers.csv } }\n',
      {
        'staff.csv': 'value,owner,note\nnora.whitfield@juniper-lane.example,jo,"Nora Kestrel, born 1980-01-01"\n',
        'numbers.csv':
          'applicant.phoneNo,then,reason\n+447700900123,review,\n"{ isNot: ""+447700900123"" }",accept,OK\n',
      },
    );
    await decideOn(folder, policy, [NORA, OWEN]);
    for (const text of PERSONAL) expect([text, findText(folder.dir, text)]).toEqual([text, []]);
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({ same: 2, problemCount: 0 });
  });

  it('stands in no file of the log where it is the value of a parameter, and goes with the person', async () => {
    const folder = await logFolder();
    const policy = policyOf(
      `${HEAD}parameters:
  number: { value: "+44 7700 900 123", description: "Nora Kestrel, born 1980-01-01" }
  email: nora.whitfield@juniper-lane.example
  unused: "447700900123"
  window: 30 days
ruleSets: [more.yaml]
rules:
  - { id: number, when: { applicant.phoneNo: $number }, then: review }
  - { id: email, when: { applicant.email: { notIn: [$email, "$$5@juniper-lane.example"] } }, points: 1 }
  - { id: window, when: { phone.porting.portedDate: { withinLast: $window } }, then: review, message: "In {$window}" }
`,
      { 'more.yaml': 'parameters: { number: "447700900123" }\n' },
    );
    await decideOn(folder, policy, [NORA, OWEN]);
    for (const text of PERSONAL) expect([text, findText(folder.dir, text)]).toEqual([text, []]);
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({ same: 2, problemCount: 0 });
    expect(await erase(folder, NORA.phoneNo)).toMatchObject({ policyTexts: 3 });
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({ problemCount: 0 });
  });

  it('stands in no file of the log or its keys, and the policy is still there to decide again', async () => {
    const folder = await logFolder();
    const policy = policyOf(POLICY);
    const [nora = '', owen = ''] = await decideOn(folder, policy, [NORA, OWEN]);
    for (const text of [...PERSONAL, policy.digest.slice('sha256:'.length)]) {
      for (const place of [folder.dir, folder.keys]) expect([text, findText(place, text)]).toEqual([text, []]);
    }
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({
      compared: 2,
      same: 2,
      policyErased: 0,
      problemCount: 0,
    });
    for (const id of [nora, owen]) {
      const record = await readRecord(folder.place, id);
      expect(record?.body).toMatchObject({ decision: { policy: { digest: policy.digest } }, matchesClearFields: true });
      expect(record?.body).toMatchObject({ policy: { digest: policy.digest }, erasedPeople: 0, isPolicyErased: false });
    }
    expect((await verifyLog({ dir: folder.dir, keys: folder.keys })).findings).toEqual([]);
    expect((await verifyLog({ dir: folder.dir })).findings).toEqual([]);
  });

  it('leaves its decisions to be found by the digest of the policy, with the keys', async () => {
    const folder = await logFolder();
    const policy = policyOf(POLICY);
    const ids = await decideOn(folder, policy, [NORA]);
    await decideOn(folder, policyOf(`${POLICY}description: other\n`), [NORA]);
    const search = async (place: LogPlace, digest: string) =>
      (await searchLog(place, { policies: [digest] })).rows.map(({ id }) => id);
    expect(await search(folder.place, policy.digest)).toEqual(ids);
    expect(await search({ dir: folder.dir, keys: `${folder.keys}-none` }, policy.digest)).toEqual([]);
    const [record] = folder.decisions();
    expect(await search({ dir: folder.dir, keys: `${folder.keys}-none` }, record?.policy.digest ?? '')).toEqual(ids);
  });

  it('includes facts of the policy that have such a format, and parts of identities, which nobody owns', async () => {
    const folder = await logFolder();
    const policy = policyOf(`${HEAD}facts: { context.referrer: { type: string, format: phone } }
rules:
  - { id: referrer, when: { context.referrer: { in: ["447700900123"] } }, then: review }
  - { id: office, when: { applicant.ip: { in: [203.0.113.0/24] } }, then: review }
  - { id: alias, when: { applicant.email: { startsWith: "nora.whitfield" } }, then: review }
`);
    await decideOn(folder, policy, [OWEN]);
    for (const text of ['447700900123', 'nora.whitfield', '203.0.113.0'])
      expect(findText(folder.dir, text)).toEqual([]);
    expect(await erase(folder, NORA.phoneNo)).toMatchObject({ policyTexts: 1 });
    for (const subject of [NORA.email, NORA.ip]) expect(await erase(folder, subject)).toMatchObject({ policyTexts: 0 });
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({ compared: 1, same: 1 });
  });

  it('includes numbers, dates, levels and Booleans of personal facts, but not their limits', async () => {
    const folder = await logFolder();
    const policy = policyOf(
      `${HEAD}facts:
  context.nationalId: { type: integer, personal: true }
  context.born: { type: date, personal: true }
  context.ward: { type: enum, values: [north-ward, south-ward], personal: true }
  context.isWanted: { type: boolean, personal: true }
  context.tries: { type: integer }
parameters: { id: 8001011235, day: 1980-01-13, tries: 7712300456 }
rules:
  - { id: id, when: { context.nationalId: { in: [8001011234, $id] } }, then: review }
  - { id: born, when: { any: [{ context.born: 1980-01-12 }, { context.born: $day }] }, then: review }
  - { id: ward, when: { context.ward: north-ward }, points: 1 }
  - { id: wanted, when: { context.isWanted: true }, points: 1 }
  - { id: minor, when: { context.born: { after: 2008-02-03 } }, points: 1 }
  - { id: tries, when: { context.tries: $tries }, points: 1 }
tables:
  - { id: ids, columns: [context.nationalId, then], rows: [[8001011236, review], [{ isNot: 447700900777 }, accept]] }
`,
    );
    await decideOn(folder, policy, [NORA, OWEN]);
    const texts = [
      '8001011234',
      '8001011235',
      '8001011236',
      '447700900777',
      '1980-01-12',
      '1980-01-13',
      'isWanted":true',
    ];
    for (const text of texts) expect([text, findText(folder.dir, text)]).toEqual([text, []]);
    for (const text of ['2008-02-03', '7712300456'])
      expect(findText(folder.dir, text)).toEqual([archivesOf(folder)[0]]);
    const archive = readFileSync(join(folder.dir, 'policies', archivesOf(folder)[0] ?? ''), 'utf8');
    expect(archive).toContain('"context.ward":{"$sealed"');
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({ same: 2, problemCount: 0 });
    expect((await verifyLog({ dir: folder.dir, keys: folder.keys })).findings).toEqual([]);
    // A number may look like that of a phone.
    expect(await erase(folder, '+447700900777')).toMatchObject({ policyTexts: 0 });
  });

  it('cannot be changed or removed in the archive unnoticed', async () => {
    const folder = await logFolder();
    const policy = policyOf(POLICY);
    await decideOn(folder, policy, [OWEN]);
    const file = join(folder.dir, 'policies', archivesOf(folder)[0] ?? '');
    const text = readFileSync(file, 'utf8');
    const changes: readonly [string, () => void][] = [
      ['archive-differs', () => writeFileSync(file, text.replace('"then":"reject"', '"then":"accept"'))],
      ['archive-differs', () => writeFileSync(file, text.replace(/"phone","..../, '"phone","AAAA'))],
      ['archive-missing', () => rmSync(file)],
    ];
    for (const [code, change] of changes) {
      change();
      for (const keys of [{}, { keys: folder.keys }]) {
        expect((await verifyLog({ dir: folder.dir, ...keys })).findings).toMatchObject([{ code }]);
      }
      expect((await replayLog({ dir: folder.dir, keys: folder.keys })).problems).toMatchObject([
        { why: 'policy-missing' },
      ]);
      if (code === 'archive-differs') {
        await expect(decideOn(folder, policy, [OWEN])).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
      }
      writeFileSync(file, text);
    }
  });

  it('stands in no record of another person, whose body names only how many were listed', async () => {
    const folder = await logFolder();
    await decideOn(folder, policyOf(POLICY), [OWEN]);
    const bodies = new BodyReader(folderAt(folder.keys));
    for (const record of folder.decisions()) {
      const opened = await bodies.open(record);
      const text = 'texts' in opened ? opened.texts.join('\n') : '';
      expect(text).toContain('"expected":{"listed":2}');
      for (const one of PERSONAL) expect(text).not.toContain(one);
    }
  });

  it('is archived as it is in a log that is not encrypted', async () => {
    const folder = await logFolder();
    const policy = policyOf(POLICY);
    await decideOn(folder, policy, [NORA], { pii: 'plain' });
    expect(archivesOf(folder)).toEqual([`${policy.digest.slice('sha256:'.length)}.json`]);
    expect(folder.decisions()).toMatchObject([{ policy: { digest: policy.digest } }]);
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({ compared: 1, same: 1 });
  });

  it.each([
    [
      'a list of domains',
      'lists: { d: [spam.example] }\nrules: [{ id: d, when: { applicant.emailDomain: { inDomainList: d } }, then: review }]\n',
    ],
    ['no list', 'rules: [{ id: d, when: { phone.riskLevel: high }, then: review }]\n'],
  ])('does not include %s, which is archived as it is', async (_, rules) => {
    const folder = await logFolder();
    const policy = policyOf(`${HEAD}${rules}`);
    await decideOn(folder, policy, [NORA]);
    expect(archivesOf(folder)).toEqual([`${policy.digest.slice('sha256:'.length)}.json`]);
  });

  it('is archived once, by whichever process and with whichever index key', async () => {
    const folder = await logFolder();
    const policy = policyOf(POLICY);
    await Promise.all([decideOn(folder, policy, [NORA]), decideOn(folder, policy, [OWEN])]);
    await addIndexKey(folderAt(folder.keys));
    await decideOn(folder, policyOf(POLICY), [OWEN]);
    expect(archivesOf(folder)).toHaveLength(1);
    expect(keyFilesOf(folder)).toHaveLength(1);
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({ compared: 3, same: 3 });
  });

  it('has durable keys before it is archived, and is archived, durable, before a record names it', async () => {
    const folder = await logFolder();
    const calls: string[] = [];
    const note = (call: string, path: string) => {
      const name = path.replace(folder.dir, 'log').replace(folder.keys, 'keys');
      if (/policies|ndjson/.test(name)) calls.push(`${call} ${name.replace(/[^/]+\.(\w+)$/, '*.$1')}`);
    };
    const files: Files = {
      ...filesWith(/\.ndjson$/, (file) => ({
        write: (bytes, at) => {
          note('write', 'x.ndjson');
          return file.write(bytes, at);
        },
      })),
      link: (from, to) => {
        note('name', to);
        return realFiles.link(from, to);
      },
      syncFolder: async (path) => note('sync', path),
    };
    const audit = await folder.open({}, files);
    calls.length = 0;
    await createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit }).decide(OWEN);
    await audit.close();
    expect(calls.slice(0, 5)).toEqual([
      ...['name keys/policies/*.keys', 'sync keys/policies', 'name log/policies/*.json', 'sync log/policies'],
      'write *.ndjson',
    ]);
  });

  it('is archived in the same bytes after a crash that left only the keys', async () => {
    const folder = await logFolder();
    await decideOn(folder, policyOf(POLICY), [NORA]);
    const [archive = ''] = archivesOf(folder);
    const bytes = readFileSync(join(folder.dir, 'policies', archive));
    rmSync(join(folder.dir, 'policies', archive));
    await decideOn(folder, policyOf(POLICY), [OWEN]);
    expect(archivesOf(folder)).toEqual([archive]);
    expect(readFileSync(join(folder.dir, 'policies', archive))).toEqual(bytes);
    expect(keyFilesOf(folder)).toHaveLength(1);
  });
});

describe('after the erasure of a person', () => {
  it.each<[keyof typeof NORAS_TEXTS, string]>([
    ['phone', '+44 (0)7700 900123'],
    ['email', 'NORA.whitfield@juniper-lane.example'],
    ['ip', '::ffff:203.0.113.11'],
  ])('by %s, each text about that person is erased in every version of the policy', async (format, subject) => {
    const folder = await logFolder();
    const versions = [policyOf(POLICY), policyOf(`${POLICY}description: again\n`)];
    for (const policy of versions) await decideOn(folder, policy, [OWEN]);
    const texts = 2 * NORAS_TEXTS[format];
    expect(await erase(folder, subject)).toMatchObject({ records: [], policyTexts: texts, policyTextsBefore: 0 });
    expect(await erase(folder, subject)).toMatchObject({ records: [], policyTexts: 0, policyTextsBefore: texts });
    const erasures = folder.lines().filter(({ kind }) => kind === 'erasure');
    expect(erasures).toMatchObject([{ policies: archivesOf(folder).map((file) => `sha256:${file.slice(0, 64)}`) }]);
    expect((await verifyLog({ dir: folder.dir, keys: folder.keys })).findings).toEqual([]);
  });

  it('all other decisions are the same to the last byte, and none is made about that person', async () => {
    const folder = await logFolder();
    const policy = policyOf(POLICY);
    await decideOn(folder, policy, [OWEN, { ...OWEN, phoneNo: '+44 7700 900789' }]);
    await erase(folder, NORA.phoneNo);
    // The policy still lists the number: the person is decided on, and no archive is made anew.
    const [again = ''] = await decideOn(folder, policyOf(POLICY), [NORA]);
    expect(archivesOf(folder)).toHaveLength(1);
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({
      compared: 2,
      same: 2,
      policyErased: 1,
      problemCount: 0,
    });
    const record = await readRecord(folder.place, again);
    const body = record && 'decision' in record.body ? record.body : undefined;
    expect(body).toMatchObject({ decision: { policy: record?.record.policy }, isPolicyErased: true });
    expect(body?.erasedPeople).toBe(1);
    expect(body?.policy.digest).not.toBe(policy.digest);
  });

  it('the evidence of others is the same, although two people were erased from one condition', async () => {
    const folder = await logFolder();
    const policy = policyOf(`${HEAD}rules:
  - id: others
    when: { not: { any: [{ applicant.phoneNo: "447700900123" }, { applicant.phoneNo: "447700900789" }] } }
    then: review
`);
    await decideOn(folder, policy, [OWEN]);
    for (const subject of [NORA.phoneNo, '+447700900789']) {
      expect(await erase(folder, subject)).toMatchObject({ policyTexts: 1 });
    }
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({ compared: 1, same: 1 });
  });

  it('nothing in the log tells who it was, not even with a list of one and a guess', async () => {
    const folder = await logFolder();
    const policy = policyOf(`${HEAD}lists: { one: ["447700900123"] }
rules: [{ id: blocked, when: { applicant.phoneNo: { inList: one } }, then: reject }]
`);
    await decideOn(folder, policy, [NORA]);
    expect(await erase(folder, NORA.phoneNo)).toMatchObject({ records: [expect.anything()], policyTexts: 1 });
    // Somebody who has the rest of the policy can compute this digest for each number.
    for (const text of [policy.digest.slice('sha256:'.length), ...PERSONAL]) {
      for (const place of [folder.dir, folder.keys]) expect([text, findText(place, text)]).toEqual([text, []]);
    }
  });

  it('a crash may leave the digest of the policy, which is not shown, and goes with the next erasure', async () => {
    const folder = await logFolder();
    const [id = ''] = await decideOn(folder, policyOf(POLICY), [OWEN]);
    const keys = new PolicyKeys(folderAt(folder.keys));
    const [name = ''] = await keys.names();
    const tableNow = async () => (await keys.read(name))?.table ?? expect.unreachable();
    const table = await tableNow();
    const numbers = Array.from({ length: table.size }, (_, number) => number);
    const one = numbers.filter((number) => table.subjectOf(number) === table.subjectOf(1));
    await keys.erase(name, { archive: '', table }, one);
    const record = await readRecord(folder.place, id);
    expect(record?.body).toMatchObject({ decision: { policy: record?.record.policy }, erasedPeople: 1 });
    expect((await verifyLog({ dir: folder.dir, keys: folder.keys })).findings).toEqual([]);
    expect((await tableNow()).keyOf(0)).toBeDefined();
    expect(await erase(folder, NORA.ip)).toMatchObject({ policyTexts: 0, policyTextsBefore: 1 });
    expect((await tableNow()).keyOf(0)).toBeUndefined();
  });

  it('keys that a crash left without an archive get a new one beside them', async () => {
    const folder = await logFolder();
    await decideOn(folder, policyOf(POLICY), [NORA]);
    const [archive = ''] = archivesOf(folder);
    rmSync(join(folder.dir, 'policies', archive));
    await erase(folder, NORA.ip);
    await decideOn(folder, policyOf(POLICY), [OWEN]);
    expect(archivesOf(folder)).not.toEqual([archive]);
    expect(keyFilesOf(folder)).toHaveLength(2);
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({ compared: 1, same: 1 });
  });

  it('an interrupted erasure gets its entry from the next one', async () => {
    const folder = await logFolder();
    await decideOn(folder, policyOf(POLICY), [OWEN]);
    const audit = await folder.open();
    const fail = () => Promise.reject(new Error('killed'));
    await expect(eraseRecords(homeOfLog(audit), { subject: NORA.ip }, fail)).rejects.toThrow();
    await audit.close();
    expect(await erase(folder, NORA.ip)).toMatchObject({ policyTexts: 0, policyTextsBefore: 1 });
    expect(folder.lines().filter(({ kind }) => kind === 'erasure')).toMatchObject(
      [{ records: [], policies: [{}] }].map(() => ({ records: [], policies: [expect.stringMatching(/^sha256:/)] })),
    );
  });

  it('verify says of how many people, as a state, and that restored keys undo it', async () => {
    const folder = await logFolder();
    const verify = () => verifyLog({ dir: folder.dir, keys: folder.keys });
    await decideOn(folder, policyOf(POLICY), [OWEN]);
    expect(await verify()).toMatchObject({ findings: [], sealedPolicies: [{ texts: 10, erasedPeople: 0 }] });
    const copy = `${folder.keys}-copy`;
    cpSync(folder.keys, copy, { recursive: true });
    await erase(folder, NORA.email);
    await erase(folder, NORA.ip);
    expect(await verify()).toMatchObject({ findings: [], sealedPolicies: [{ texts: 10, erasedPeople: 2 }] });
    for (const name of keyFilesOf(folder)) cpSync(join(copy, 'policies', name), join(folder.keys, 'policies', name));
    expect((await verify()).findings).toMatchObject([
      { code: 'erasure-undone', file: `policies/${archivesOf(folder)[0]}` },
    ]);
    expect(await erase(folder, NORA.email)).toMatchObject({ policyTexts: 2 });
    expect(await erase(folder, NORA.ip)).toMatchObject({ policyTexts: 1 });
    expect((await verify()).findings).toEqual([]);
  });

  it('verify and replay say so if the keys of a policy are missing or of another policy', async () => {
    const folder = await logFolder();
    await decideOn(folder, policyOf(POLICY), [OWEN]);
    await decideOn(folder, policyOf(`${POLICY}description: again\n`), [OWEN]);
    const [one = '', other = ''] = keyFilesOf(folder).map((name) => join(folder.keys, 'policies', name));
    const copy = readFileSync(one);
    for (const damage of [() => rmSync(one), () => cpSync(other, one), () => writeFileSync(one, copy.subarray(1))]) {
      damage();
      expect((await replayLog({ dir: folder.dir, keys: folder.keys })).problems).toMatchObject([
        { why: 'policy-missing' },
      ]);
      const { findings, versionsTwice } = await verifyLog({ dir: folder.dir, keys: folder.keys });
      expect(findings).toMatchObject([{ code: 'policy-unreadable' }]);
      expect(versionsTwice).toHaveLength(1);
      writeFileSync(one, copy);
    }
  });

  it('one policy in two archived forms is no version with two digests, as far as the keys show', async () => {
    const folder = await logFolder();
    await decideOn(folder, policyOf(POLICY), [OWEN], { pii: 'plain' });
    await decideOn(folder, policyOf(POLICY), [OWEN]);
    expect(archivesOf(folder)).toHaveLength(2);
    expect((await verifyLog({ dir: folder.dir })).versionsTwice).toHaveLength(1);
    expect((await verifyLog({ dir: folder.dir, keys: folder.keys })).versionsTwice).toEqual([]);
  });
});
