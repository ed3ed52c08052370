/** The sandbox's answers: exactly shape 1, only what was requested, always the same for the same identity. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { answerTo } from '../../src/sandbox/answer.ts';
import { CORE_SERVICE } from '../../src/sandbox/index.ts';
import { readVerify } from '../../src/sandbox/request.ts';
import { about, type Json, post, signalsOf, signIn, start, verify } from '../support/sandbox/ask.ts';

const FULL = { phoneNo: '12025550101', email: 'nora.whitfield@juniper-lane.example', ip: '203.0.113.11' };
const DAY = 86_400_000;

function sample(name: string): Json {
  return JSON.parse(readFileSync(new URL(`../fixtures/wire/${name}`, import.meta.url), 'utf8'));
}

/** The path of every key, in order; list items have the path `[]`. */
function places(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = Array.isArray(value) ? `${at}[]` : `${at}/${key}`;
    return [place, ...places(inner, place)];
  });
}

function distinct(items: readonly string[]): string[] {
  return [...new Set(items)];
}

test('a stand-alone answer has the keys of the sample answer, in its order, and no others', async () => {
  const { json } = await verify(await start(), about(FULL));
  expect(distinct(places(json))).toEqual(distinct(places(sample('shape-1.json'))));
});

test('a stand-alone answer has the same kinds of values as the sample answer', async () => {
  const { json } = await verify(await start(), about(FULL));
  const kinds = (value: unknown, at = ''): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => kinds(inner, `${at}/${Array.isArray(value) ? '' : key}`))
      : [`${at} ${at.endsWith('lastHitDate') ? 'string or null' : typeof value}`];
  expect(distinct(kinds(json))).toEqual(distinct(kinds(sample('shape-1.json'))));
});

test('an answer has the top level of the sample answer, with the reference and country of the request', async () => {
  const body = { ...about(FULL), countryCode: 'Global', clientReference: 'ONB-7731-KESTREL' };
  const { json } = await verify(await start(), body);
  const { serviceResponses: expected, reportingReference: _, ...frame } = sample('shape-1.json');
  expect(json).toMatchObject(frame);
  const { returnedData: __, ...core } = expected?.[CORE_SERVICE] ?? {};
  expect(json['serviceResponses']?.[CORE_SERVICE]).toMatchObject(core);
  expect(json['reportingReference']).toMatch(/^RR-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  const other = await verify(await start(), { ...body, countryCode: 'NZ', clientReference: 'ONB-2' });
  expect(other.json).toMatchObject({ countryCode: 'NZ', clientReference: 'ONB-2' });
});

test('a failed source leaves the same values as in the sample answer', async () => {
  const body = about({ phoneNo: '61491570158', email: 'priya.holloway@lantern-press.example', ip: '198.51.100.23' });
  const answer = await verify(await start(), body);
  const failed = sample('shape-1-failed.json');
  expect(distinct(places(answer.json))).toEqual(distinct(places(failed)));
  const section = failed['serviceResponses']?.[CORE_SERVICE];
  expect(answer.json['serviceResponses']?.[CORE_SERVICE]?.['errorMessage']).toBe(section?.['errorMessage']);
  expect(signalsOf(answer)?.['sourceStatuses']).toEqual(section?.['returnedData']?.['sourceStatuses']);
  const { darkWeb, ...email } = signalsOf(answer)?.['email'] ?? {};
  const { darkWeb: _, ...expected } = section?.['returnedData']?.['email'] ?? {};
  expect(email).toEqual(expected);
  expect(darkWeb).toEqual({ hitCount: 0, lastHitDate: null, forumRating: 0 });
});

test.each([
  ['the phone number alone', ['phoneNo'], ['phone']],
  ['phone number and email', ['phoneNo', 'email'], ['phone', 'email', 'darkWeb']],
  ['phone number and IP', ['phoneNo', 'ip'], ['phone', 'ip']],
  ['all three', ['phoneNo', 'email', 'ip'], ['phone', 'email', 'darkWeb', 'ip']],
])('asked about %s, the answer tells of that alone', async (_, variables, sources) => {
  const given = Object.fromEntries(Object.entries(FULL).filter(([name]) => variables.includes(name)));
  const signals = signalsOf(await verify(await start(), about(given)));
  expect(Object.keys(signals?.['sourceStatuses'] ?? {})).toEqual(sources);
  const parts = sources.filter((source) => source !== 'darkWeb');
  expect(Object.keys(signals ?? {})).toEqual(['sourceStatuses', ...parts]);
});

test('another service adds a section with identity match results', async () => {
  const sandbox = await start();
  const asked = { phoneNo: '12025550107', firstName: ' amara ', lastName: 'Lindqvist' };
  const { json } = await verify(sandbox, about(asked, [CORE_SERVICE, 'Global KYC']));
  const sections = json['serviceResponses'];
  expect(Object.keys(sections ?? {})).toEqual([CORE_SERVICE, 'Global KYC']);
  expect(json['matchStatus']).toBe('Match');
  expect(sections?.['Global KYC']).toEqual({
    status: 0,
    sourceStatus: 'Successful',
    errorMessage: '',
    identityVerified: true,
    safeHarbourScore: 'none',
    nameMatchScore: '100',
    addressMatchScore: 'N/A',
    verifications: { firstName: 'Match', lastName: 'Match' },
    returnedData: {},
  });
  const alone = await verify(sandbox, about(asked));
  expect(sections?.[CORE_SERVICE]).toEqual(alone.json['serviceResponses']?.[CORE_SERVICE]);
  expect(sections?.[CORE_SERVICE]?.['identityVerified']).toBe(false);
  expect(alone.json['matchStatus']).toBe('No Match');
});

test('one variable that does not match leaves the identity unverified', async () => {
  const asked = { phoneNo: '12025550107', firstName: 'Amara', lastName: 'Okafor' };
  const { json } = await verify(await start(), about(asked, ['Global KYC']));
  expect(Object.keys(json['serviceResponses'] ?? {})).toEqual(['Global KYC']);
  expect(json['matchStatus']).toBe('No Match');
  expect(json['serviceResponses']?.['Global KYC']).toMatchObject({
    identityVerified: false,
    nameMatchScore: '50',
    verifications: { firstName: 'Match', lastName: 'No Match' },
  });
});

test('without variables to match, the identity is not verified', async () => {
  const { json } = await verify(await start(), about({ phoneNo: '12025550101' }, ['Global KYC']));
  expect(json).toMatchObject({
    matchStatus: 'No Match',
    serviceResponses: { 'Global KYC': { identityVerified: false } },
  });
});

test('the same request gets the same bytes, from any sandbox', async () => {
  const now = () => Date.UTC(2026, 1, 3);
  const identityVariables = { phoneNo: '4915112345678', email: 'a@x.example', street: '1 A St', lastName: 'B' };
  const body = { ...about(null, ['Global KYC', CORE_SERVICE]), identityVariables };
  const [first, second] = await Promise.all([start({ now }), start({ now })]);
  const texts = [await verify(first, body), await verify(first, body), await verify(second, body)].map((a) => a.text);
  expect(new Set(texts).size).toBe(1);
  const reversed = Object.fromEntries(Object.entries(identityVariables).reverse());
  const reordered = await verify(first, { ...body, identityVariables: reversed });
  expect(reordered.json['reportingReference']).toBe(JSON.parse(texts[0] ?? '')['reportingReference']);
  const others = [
    { ...body, clientReference: 'ONB-2' },
    { ...body, identityVariables: { ...identityVariables, lastName: 'C' } },
  ];
  for (const other of others) {
    const { json } = await verify(first, other);
    expect(json['reportingReference']).not.toBe(JSON.parse(texts[0] ?? '')['reportingReference']);
  }
});

test('the signals of a variable depend on it alone, but most people are where their number is from', async () => {
  const sandbox = await start({ now: () => Date.UTC(2026, 1, 3) });
  const one = signalsOf(
    await verify(sandbox, about({ phoneNo: '4915112345678', email: 'a@x.example', ip: '192.0.2.9' })),
  );
  const two = signalsOf(
    await verify(sandbox, about({ phoneNo: '33612345678', email: 'a@x.example', ip: '192.0.2.8' })),
  );
  const three = signalsOf(
    await verify(sandbox, about({ phoneNo: '33612345678', email: 'b@x.example', ip: '192.0.2.9' })),
  );
  expect(two?.['email']).toEqual(one?.['email']);
  expect(three?.['phone']).toEqual(two?.['phone']);
  expect(latitudeOf(one)).toBeCloseTo(52.5, 0); // a number of Germany: Berlin
  expect(latitudeOf(three)).toBeCloseTo(48.9, 0); // the same address with one of France: Paris
  expect(three?.['email']?.['domain']).toEqual(one?.['email']?.['domain']);
  expect(three?.['email']?.['emailAddress']).not.toEqual(one?.['email']?.['emailAddress']);
});

function latitudeOf(signals: Json | undefined): number {
  return Number(signals?.['ip']?.['ipAddress']?.['geoLocation']?.['latitude']);
}

test('case and surrounding white space of an email do not matter', async () => {
  const sandbox = await start();
  const [plain, loud] = await Promise.all([
    verify(sandbox, about({ ...FULL, email: 'd.marsh@copper-kettle.example' })),
    verify(sandbox, about({ ...FULL, email: ' D.Marsh@Copper-Kettle.EXAMPLE ' })),
  ]);
  expect(signalsOf(loud)).toEqual(signalsOf(plain));
});

test('dates move with the clock, by UTC days', async () => {
  let now = Date.UTC(2026, 2, 1, 23, 59, 59, 999);
  const sandbox = await start({ now: () => now });
  const body = about({ phoneNo: '12025550104', email: 'tess.arkwright@bluegum-studio.example' });
  const ported = async () => {
    const signals = signalsOf(await verify(sandbox, body));
    const porting = signals?.['phone']?.['portingInformation'];
    return [
      porting?.['portedDate'],
      ...Object.values(porting?.['portingHistory'] ?? {}).map((port) => port['date']),
      signals?.['email']?.['darkWeb']?.['lastHitDate'],
    ];
  };
  expect(await ported()).toEqual(['2026-02-24', '2026-02-10', '2026-02-24', '2026-02-09']);
  now += 1;
  expect(await ported()).toEqual(['2026-02-25', '2026-02-11', '2026-02-25', '2026-02-10']);
  now += 365 * DAY;
  expect(await ported()).toEqual(['2027-02-25', '2027-02-11', '2027-02-25', '2027-02-10']);
});

test('no date is earlier than 0001-01-01', async () => {
  const sandbox = await start({ now: () => -719_000 * DAY, tokenLifeMs: DAY });
  const signals = signalsOf(await verify(sandbox, about(FULL)));
  expect(signals?.['email']?.['domain']?.['firstSeenDate']).toBe('0001-01-01');
});

test('a polluted Object.prototype changes no answer and adds no field to a request', () => {
  const read = () => readVerify(about({ phoneNo: '12025550101', lastName: 'X' }, [CORE_SERVICE, 'Global KYC']));
  const answer = () => {
    const request = read();
    return request.ok ? JSON.stringify(answerTo(request.value, 20_000)) : 'refused';
  };
  const clean = answer();
  expect(clean).toContain('"phone"');
  const keys =
    'email ip phone darkWeb domain address onRecord problems status value data ports emailFails riskLevel'.split(' ');
  keys.push('countryCode', 'clientReference', 'service', 'identityVariables', 'phoneNo');
  let polluted: string;
  let empty: ReturnType<typeof readVerify>;
  try {
    for (const key of keys)
      Object.defineProperty(Object.prototype, key, { value: 'x', configurable: true, enumerable: true });
    polluted = answer();
    empty = readVerify({});
  } finally {
    for (const key of keys) Reflect.deleteProperty(Object.prototype, key);
  }
  expect(polluted).toBe(clean);
  expect(empty.ok ? [] : empty.problems.map(({ found }) => found)).toEqual([
    'nothing',
    'nothing',
    'nothing',
    'nothing',
  ]);
});

test('a thousand callers at once are all answered', async () => {
  const sandbox = await start();
  const token = await signIn(sandbox);
  const bodies = Array.from({ length: 1000 }, (_, i) => about({ phoneNo: String(447_000_000_000 + i) }));
  const headers = { Authorization: `Bearer ${token}` };
  const answers = await Promise.all(bodies.map((body) => post(sandbox, 'verify', body, headers)));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(sandbox.counts).toEqual({ signIns: 1, verifies: 1000, refused: 0 });
});
