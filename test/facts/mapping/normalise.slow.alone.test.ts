import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { CATALOG_TABLE } from '../../../src/facts/catalog.ts';
import { isMissing, shownValue } from '../../../src/facts/fact.ts';
import { type Asked, normalise } from '../../../src/facts/mapping/normalise.ts';
import { mappingOf } from '../../support/facts/mapping-file.ts';
import { ALL_VARIABLES, ASKED, factsOf, give, readSample, SHIPPED, TODAY } from '../../support/facts/shape-1.ts';

/** One fact of an answer, by a mapping of this fact alone. */
function one(path: string, signal: string, body: unknown) {
  return give(body, mappingOf(`signals: { ${path}: ${signal} }`)).get(path);
}

describe('shape 1', () => {
  test.each(['shape-1', 'shape-1-failed'])('%s gives exactly its facts', (name) => {
    const expected = readSample(`${name}.facts`);
    const facts = [...factsOf(readSample(name))].filter(([path]) => {
      return CATALOG_TABLE.get(path)?.origin === 'service' && path !== 'identity.verified';
    });
    expect(Object.fromEntries(facts.map(([path, fact]) => [path, isMissing(fact) ? fact : shownValue(fact)]))).toEqual(
      expected,
    );
  });

  test('without another service, the identity match is not requested', () => {
    expect(factsOf(readSample('shape-1')).get('identity.verified')).toEqual({ missing: 'notRequested' });
  });

  test('an empty porting history means never ported; an absent one means nothing', () => {
    const ported = (portingHistory: unknown) => {
      const facts = factsOf(withPorting({ portingHistory, portedDate: null }));
      return ['portedDate', 'portCount', 'previousPort'].map((name) => facts.get(`phone.porting.${name}`));
    };
    const unknown = { missing: 'notReturned' };
    expect(ported([])).toEqual([{ value: 'never' }, { value: 0 }, { value: 'never' }]);
    expect(ported(null)).toEqual([unknown, unknown, unknown]);
    expect(ported(undefined)).toEqual([unknown, unknown, unknown]);
  });

  test('a number that was ported once has no previous port', () => {
    const facts = factsOf(withPorting({ portingHistory: [{ date: '2019-03-14' }] }));
    expect(facts.get('phone.porting.portCount')).toEqual({ value: 1 });
    expect(facts.get('phone.porting.previousPort')).toEqual({ missing: 'notReturned' });
  });

  test('a date of porting and an empty history are a contradiction', () => {
    const facts = factsOf(withPorting({ portingHistory: [] }));
    expect(facts.get('phone.porting.portedDate')).toEqual({ missing: 'invalid', raw: '2019-03-14' });
  });

  test('without hits on the dark web the last hit is never', () => {
    const body = readSample('shape-1');
    Object.assign(core(body).returnedData.email.darkWeb, { hitCount: 0, lastHitDate: null });
    expect(factsOf(body).get('email.darkWeb.lastHit')).toEqual({ value: 'never' });
  });

  describe('composite', () => {
    const composite: Asked = { ...ASKED, composite: true };
    const verified = (sections: Record<string, unknown>) => {
      const body = readSample('shape-1') as { serviceResponses: Record<string, unknown> };
      Object.assign(body.serviceResponses, sections);
      return factsOf(body, SHIPPED, composite).get('identity.verified');
    };
    const further = { sourceStatus: 'Successful', identityVerified: true, returnedData: {} };

    test('the result is that of the other service, not of the risk service', () => {
      expect(verified({ 'Global KYC': further })).toEqual({ value: true });
      expect(verified({ 'Some Other Service': { ...further, identityVerified: false } })).toEqual({ value: false });
    });
    test('what a service says that was not asked is not read, and one that was asked has to say something', () => {
      const asking = (sections: Record<string, unknown>, ...services: readonly string[]) => {
        const body = readSample('shape-1') as { serviceResponses: Record<string, unknown> };
        Object.assign(body.serviceResponses, sections);
        const before = JSON.stringify(body);
        const fact = factsOf(body, SHIPPED, { ...composite, services }).get('identity.verified');
        expect(JSON.stringify(body)).toBe(before);
        return fact;
      };
      const missing = { missing: 'sourceFailed' };
      expect(asking({ 'Global KYC': further }, 'Global KYC')).toEqual({ value: true });
      expect(asking({ Other: further }, 'Global KYC')).toEqual(missing);
      expect(asking({ 'Global KYC': further }, 'Global KYC', 'Documents')).toEqual(missing);
      expect(asking({ 'Global KYC': further, Documents: null }, 'Global KYC', 'Documents')).toEqual(missing);
      expect(asking({ 'Global KYC': further, Documents: further }, 'Global KYC', 'Documents')).toEqual({ value: true });
      // Neither what it says, nor that it failed.
      const failed = { sourceStatus: 'Timeout', identityVerified: false };
      expect(asking({ 'Global KYC': further, Other: failed }, 'Global KYC')).toEqual({ value: true });
      expect(asking({ 'Global KYC': failed, Other: further }, 'Global KYC')).toEqual(missing);
      // Names that every object has are no sections.
      expect(asking({}, 'constructor')).toEqual(missing);
      expect(asking({}, '__proto__')).toEqual(missing);
    });
    test('two other services that differ make it invalid', () => {
      const other = { ...further, identityVerified: false };
      expect(verified({ A: further, B: other })).toEqual({ missing: 'invalid', raw: '[true,false]' });
    });
    test('a service that did not answer is not believed', () => {
      expect(verified({ A: { ...further, sourceStatus: 'Timeout' } })).toEqual({ missing: 'sourceFailed' });
      expect(verified({})).toEqual({ missing: 'sourceFailed' });
    });
    test('a section without its own status is not believed, whatever that of another is', () => {
      const { sourceStatus, identityVerified, ...silent } = further;
      for (const [one, other] of [
        [{ identityVerified }, { sourceStatus }],
        [{ identityVerified: false }, further],
        [{ ...further, sourceStatus: null }, further],
        [silent, further],
        [null, further],
        [[further], further],
      ]) {
        expect(verified({ A: one, B: other })).toEqual({ missing: 'sourceFailed' });
        expect(verified({ A: other, B: one })).toEqual({ missing: 'sourceFailed' });
      }
      expect(verified({ A: further, B: { sourceStatus } })).toEqual({ value: true });
    });
  });
});

interface Core {
  returnedData: { phone: { portingInformation: object }; email: { darkWeb: object } };
}

function core(body: unknown): Core {
  return (body as { serviceResponses: Record<string, Core> }).serviceResponses['Core Intelligence Service'] as Core;
}

function withPorting(part: object): unknown {
  const body = readSample('shape-1');
  Object.assign(core(body).returnedData.phone.portingInformation, part);
  return body;
}

describe('the cause of a missing fact is the first that applies', () => {
  const mapping = mappingOf(`
answer: { at: status, answered: [done], reference: ref }
sources: { risk: { at: risk, answered: [ok], signals: [phone.*, identity.*] } }
signals: { phone.score: score, identity.verified: match }
`);
  const good = { status: 'done', ref: 'R', risk: 'ok', score: 5, match: true };
  const asked: Asked = { variables: ALL_VARIABLES, composite: true, clientReference: 'R' };
  const causeOf = (path: string, body: object | 'failed', change: Partial<Asked> = {}) => {
    // Through JSON, which drops undefined keys.
    const answer = body === 'failed' ? body : { body: JSON.parse(JSON.stringify(body)) };
    return normalise(answer, mapping, { ...asked, ...change }, CATALOG_TABLE, TODAY).get(path);
  };

  test('none if the fact is present', () => {
    expect(causeOf('phone.score', good)).toEqual({ value: 5 });
    expect(causeOf('identity.verified', good)).toEqual({ value: true });
  });
  test('notRequested: its identity variable was not sent, or another service not requested', () => {
    expect(causeOf('phone.score', 'failed', { variables: ['email', 'ip'] })).toEqual({ missing: 'notRequested' });
    expect(causeOf('ip.isp', good, { variables: ['phoneNo'] })).toEqual({ missing: 'notRequested' });
    expect(causeOf('identity.verified', good, { composite: false })).toEqual({ missing: 'notRequested' });
  });
  test('sourceFailed: the call failed, whether the fact is mapped or not', () => {
    expect(causeOf('phone.score', 'failed')).toEqual({ missing: 'sourceFailed' });
    expect(causeOf('ip.isp', 'failed')).toEqual({ missing: 'sourceFailed' });
  });
  test.each([
    ['another status', { ...good, status: 'error' }],
    ['no status', { ...good, status: undefined }],
    ['a status that is not a text', { ...good, status: ['done'] }],
    ["another caller's reference", { ...good, ref: 'S' }],
    ['no reference', { ...good, ref: undefined }],
    ['null as the reference', { ...good, ref: null }],
  ])('sourceFailed: inside the answer, %s', (_, body) => {
    expect(causeOf('phone.score', body)).toEqual({ missing: 'sourceFailed' });
    expect(causeOf('ip.isp', body)).toEqual({ missing: 'sourceFailed' });
  });
  test('a reference is only checked if one was sent', () => {
    const { clientReference: _, ...without } = asked;
    const given = normalise({ body: { ...good, ref: 'S' } }, mapping, without, CATALOG_TABLE, TODAY);
    expect(given.get('phone.score')).toEqual({ value: 5 });
  });
  test('sourceFailed: the source failed, and only its own facts are missing', () => {
    for (const risk of ['timeout', null, undefined, 0, {}]) {
      expect(causeOf('phone.score', { ...good, risk })).toEqual({ missing: 'sourceFailed' });
      expect(causeOf('ip.isp', { ...good, risk })).toEqual({ missing: 'unmapped' });
    }
  });
  test('sourceFailed: there is no null, or no empty list, where only that means success', () => {
    const strict = mappingOf(`
sources: { phone: { at: phone.error, answered: [null, []], signals: [phone.*] } }
signals: { phone.score: phone.score }
`);
    const found = (phone: object) =>
      normalise({ body: { phone } }, strict, { variables: ALL_VARIABLES, composite: false }, CATALOG_TABLE, TODAY).get(
        'phone.score',
      );
    for (const error of [null, []]) expect(found({ score: 5, error })).toEqual({ value: 5 });
    for (const error of [{}, { code: 1 }, [null], '', 'null', 0, false]) {
      expect(found({ score: 5, error })).toEqual({ missing: 'sourceFailed' });
    }
    expect(found({ score: 5 })).toEqual({ missing: 'sourceFailed' });
  });
  test('sourceFailed: one of several entries has no status; an error need not be in each', () => {
    const mapping = mappingOf(`
sources:
  phone: { at: "results[*].status", answered: [ok], signals: [phone.*] }
  email: { error: "results[*].error", signals: [email.*] }
  ip: { at: "$..state", answered: [ok], signals: [ip.*] }
signals: { phone.score: phone, email.address.score: email, ip.isp: isp }
`);
    const found = (...results: readonly unknown[]) => {
      const body = { phone: 1, email: 2, isp: 'acme', results };
      const given = give(body, mapping);
      return ['phone.score', 'email.address.score', 'ip.isp'].map(
        (path) => !isMissing(given.get(path) ?? { missing: 'unmapped' }),
      );
    };
    expect(found({ status: 'ok', state: 'ok' }, { status: 'ok' })).toEqual([true, true, true]);
    expect(found({ status: 'ok', state: 'ok' }, {})).toEqual([false, true, true]);
    expect(found({ status: 'ok', state: 'ok' }, 'ok', { error: 'x', status: 'ok' })).toEqual([false, false, true]);
    expect(found({ status: 'ok', state: 'ok' }, { status: 'ok', state: 'bad' })).toEqual([true, true, false]);
    expect(found()).toEqual([false, true, false]);
  });
  test('sourceFailed: anything but null or empty where an error would be', () => {
    const lenient = mappingOf(`
sources: { phone: { error: "errors[?@.source == 'phone'].reason", signals: [phone.*] } }
signals: { phone.score: score }
`);
    const found = (errors: unknown) => {
      const answer = { body: { score: 5, errors } };
      return normalise(answer, lenient, { variables: ALL_VARIABLES, composite: false }, CATALOG_TABLE, TODAY).get(
        'phone.score',
      );
    };
    const none = [undefined, null, [], [{ source: 'email', reason: 'timeout' }]];
    const empty = [null, '', [], {}].map((reason) => [{ source: 'phone', reason }]);
    for (const errors of [...none, ...empty]) expect(found(errors)).toEqual({ value: 5 });
    for (const reason of ['timeout', 0, false, [0], { code: null }]) {
      expect(found([{ source: 'phone', reason }])).toEqual({ missing: 'sourceFailed' });
    }
  });
  test('unmapped: the mapping has no path for it', () => {
    expect(causeOf('phone.riskLevel', { ...good, risk: 'ok' })).toEqual({ missing: 'unmapped' });
  });
  test('notReturned: absent, null or blank', () => {
    for (const score of [undefined, null, '', '  ']) {
      expect(causeOf('phone.score', { ...good, score })).toEqual({ missing: 'notReturned' });
    }
  });
  test('invalid: the value is not a score', () => {
    expect(causeOf('phone.score', { ...good, score: 'n.a.' })).toEqual({ missing: 'invalid', raw: 'n.a.' });
    expect(causeOf('phone.score', { ...good, score: 101 })).toEqual({ missing: 'invalid', raw: '101' });
    expect(causeOf('phone.score', { ...good, score: { a: [] } })).toEqual({ missing: 'invalid', raw: '{"a":[]}' });
  });
});

describe('placeholders', () => {
  const mapping = mappingOf(`
placeholders: ["N/A", "Not Available", unknown]
signals:
  ip.isp: isp
  phone.score: { at: score, placeholders: [-1, Not included in your plan.] }
  email.domain.firstSeen: { at: seen, placeholders: ["0000-00-00"] }
`);
  test.each(['N/A', 'n/a', ' n/a ', 'NOT_AVAILABLE', 'notAvailable', 'Unknown'])('%s means no value', (isp) => {
    expect(give({ isp }, mapping).get('ip.isp')).toEqual({ missing: 'notReturned' });
  });
  test('a signal may have its own placeholders', () => {
    for (const score of [-1, '-1', 'not included in your plan.', 'N/A']) {
      expect(give({ score }, mapping).get('phone.score')).toEqual({ missing: 'notReturned' });
    }
    expect(give({ seen: '0000-00-00' }, mapping).get('email.domain.firstSeen')).toEqual({ missing: 'notReturned' });
    expect(give({ isp: '-1' }, mapping).get('ip.isp')).toEqual({ value: '-1' });
  });
  test('-1 is not 1', () => {
    expect(give({ score: 1 }, mapping).get('phone.score')).toEqual({ value: 1 });
  });
});

describe('numbers', () => {
  test.each([
    [62, 62],
    ['62', 62],
    [' 62.50 ', 62.5],
    ['+7', 7],
    ['007', 7],
  ])('%j is %d', (wire, value) => {
    expect(one('phone.score', 'a', { a: wire })).toEqual({ value });
  });
  test('a text may have a sign', () => {
    expect(one('phone.score', '{ at: a, range: [-50, 50] }', { a: '-50' })).toEqual({ value: 0 });
  });
  test.each([
    '1,234.5',
    '1e1',
    '0x1f',
    '.5',
    '5.',
    '1 0',
    '--1',
    'NaN',
    'Infinity',
    '٦٢',
    `0.${'1'.repeat(99)}`,
    true,
    [62],
  ])('%j is none', (wire) => {
    expect(one('phone.score', 'a', { a: wire })).toMatchObject({ missing: 'invalid' });
  });
  test('an integer has no fraction and no more digits than a double holds', () => {
    const count = (a: unknown) => one('email.darkWeb.hitCount', 'a', { a });
    expect(count('3')).toEqual({ value: 3 });
    expect(count(2.5)).toEqual({ missing: 'invalid', raw: '2.5' });
    expect(count('9007199254740993')).toEqual({ missing: 'invalid', raw: '9007199254740993' });
    expect(count(-1)).toEqual({ missing: 'invalid', raw: '-1' });
    expect(count(JSON.parse('1e400'))).toEqual({ missing: 'invalid', raw: 'Infinity' });
  });
});

describe('a range', () => {
  test.each([
    ['[0, 10]', 7, 70],
    ['[0, 1]', 0.29, 29],
    ['[0, 1]', 0.57, 57],
    ['[0, 1000]', 1, 0.1],
    ['[0, 3]', 1, 33.3333333333],
    ['[0, 3]', 2, 66.6666666667],
    ['[-1, 1]', 0, 50],
    ['[1, 5]', '4', 75],
    ['[0, 10]', 0, 0],
    ['[0, 10]', 10, 100],
  ])('%s takes %j to %d, exactly', (range, wire, value) => {
    expect(one('phone.score', `{ at: a, range: ${range} }`, { a: wire })).toEqual({ value });
  });
  test('outside it a value is invalid, with the raw value as in the answer', () => {
    expect(one('phone.score', '{ at: a, range: [0, 10] }', { a: 10.1 })).toEqual({ missing: 'invalid', raw: '10.1' });
    expect(one('phone.score', '{ at: a, range: [0, 10] }', { a: '-0.1' })).toEqual({ missing: 'invalid', raw: '-0.1' });
    // Rounding to 10 places would hide it.
    expect(one('phone.score', '{ at: a, range: [0, 10] }', { a: 10.000000000001 })).toMatchObject({
      missing: 'invalid',
    });
  });
  test('is applied after values', () => {
    expect(one('phone.score', '{ at: a, range: [0, 10], values: { half: 5 } }', { a: 'HALF' })).toEqual({ value: 50 });
  });
});

describe('names', () => {
  test.each(['Very High', 'VERY_HIGH', 'veryHigh', 'very-high', 'VERY  HIGH '])('%s is veryHigh', (wire) => {
    expect(one('phone.riskLevel', 'a', { a: wire })).toEqual({ value: 'veryHigh' });
  });
  test('values add to the names of the type', () => {
    const signal = '{ at: a, values: { "3": high, M: medium, MEDIUM RISK: medium, "-1": low } }';
    for (const [wire, value] of [
      [3, 'high'],
      ['3', 'high'],
      ['m', 'medium'],
      ['medium_risk', 'medium'],
      [-1, 'low'],
      ['Low', 'low'],
    ]) {
      expect(one('phone.riskLevel', signal, { a: wire })).toEqual({ value });
    }
    expect(one('phone.riskLevel', signal, { a: 1 })).toEqual({ missing: 'invalid', raw: '1' });
  });
  test('an enum has no other values', () => {
    expect(one('phone.type', 'a', { a: 'TOLL FREE' })).toEqual({ value: 'tollFree' });
    expect(one('phone.type', 'a', { a: 'mobilephone' })).toEqual({ missing: 'invalid', raw: 'mobilephone' });
    for (const a of ['constructor', '__proto__', 'toString', true, 0]) {
      expect(one('phone.type', 'a', { a })).toMatchObject({ missing: 'invalid' });
    }
  });
  test('a boolean is true or false, also as text; other names come from the mapping only', () => {
    const verified = (signal: string, a: unknown) =>
      give({ a }, mappingOf(`signals: { identity.verified: ${signal} }`), { ...ASKED, composite: true }).get(
        'identity.verified',
      );
    expect(verified('a', false)).toEqual({ value: false });
    expect(verified('a', 'TRUE')).toEqual({ value: true });
    expect(verified('a', 1)).toEqual({ missing: 'invalid', raw: '1' });
    expect(verified('{ at: a, values: { Y: true, 0: false } }', 0)).toEqual({ value: false });
  });
  test('a string keeps the original text; a number is invalid', () => {
    expect(one('ip.isp', 'a', { a: ' Tasman ' })).toEqual({ value: ' Tasman ' });
    expect(one('ip.isp', 'a', { a: 42 })).toEqual({ missing: 'invalid', raw: '42' });
    expect(one('ip.isp', '{ at: a, values: { TAS: Tasman Fibre } }', { a: 'tas' })).toEqual({ value: 'Tasman Fibre' });
  });
});

describe('dates', () => {
  test.each([
    ['2019-03-14', '2019-03-14'],
    [' 2019-03-14 ', '2019-03-14'],
    ['2019-03-14T23:59:59Z', '2019-03-14'],
    ['2019-03-14T00:30:00+13:00', '2019-03-13'],
    ['2019-03-14T23:30:00.123-08:00', '2019-03-15'],
    ['2019-03-14 23:30', '2019-03-14'],
    ['1971-01-01T00:00:00Z', '1971-01-01'],
    ['2024-02-29', '2024-02-29'],
  ])('%s is a UTC day', (wire, value) => {
    expect(one('email.domain.firstSeen', 'a', { a: wire })).toEqual({ value });
  });
  test.each([
    '2024-02-30',
    '2023-02-29T00:00:00Z',
    '2019-03',
    '2012',
    '14/03/2019',
    '2019-3-14',
    '20190314',
    'never',
    '2019-03-14T25:00Z',
    '2019-03-14T',
    '2019-03-14Z',
    '0000-00-00',
    1_552_521_600_000,
    true,
  ])('%j is invalid', (wire) => {
    expect(one('email.domain.firstSeen', 'a', { a: wire })).toEqual({ missing: 'invalid', raw: String(wire) });
  });
  test('only the formats of the mapping are read', () => {
    const day = '{ at: a, formats: [yyyy-MM-dd] }';
    expect(one('email.domain.firstSeen', day, { a: '2019-03-14' })).toEqual({ value: '2019-03-14' });
    expect(one('email.domain.firstSeen', day, { a: '2019-03-14T00:00:00Z' })).toMatchObject({ missing: 'invalid' });
    const time = '{ at: a, formats: [isoDateTime] }';
    expect(one('email.domain.firstSeen', time, { a: '2019-03-14' })).toMatchObject({ missing: 'invalid' });
  });

  test('are the same in every time zone', () => {
    const script = `
      import { factsOf, readSample } from '../../support/facts/shape-1.ts';
      const body = JSON.parse(JSON.stringify(readSample('shape-1')).replace('2024-02-09', '2024-02-09T23:30:00-09:00'));
      process.stdout.write(JSON.stringify([...factsOf(body)]));`;
    const facts = ['Pacific/Kiritimati', 'America/Anchorage', 'UTC'].map((TZ) =>
      execFileSync(process.execPath, ['--input-type=module-typescript', '--eval', script], {
        cwd: import.meta.dirname,
        env: { ...process.env, TZ },
        encoding: 'utf8',
      }),
    );
    expect(facts[0]).toContain('["email.address.firstSeen",{"value":"2024-02-10"}]');
    expect(new Set(facts).size).toBe(1);
  });
});

describe('take', () => {
  const dates = { list: ['2015-06-02', '2019-03-14', '2011-01-01'] };
  test.each([
    ['first', '2015-06-02'],
    ['latest', '2019-03-14'],
    ['previous', '2015-06-02'],
    ['earliest', '2011-01-01'],
  ])('%s of several days', (take, value) => {
    expect(one('phone.porting.portedDate', `{ at: "$.list[*]", take: ${take} }`, dates)).toEqual({ value });
    expect(one('phone.porting.portedDate', `{ at: list, take: ${take} }`, dates)).toEqual({ value });
  });
  test('never is earlier than every day', () => {
    const list = ['2019-03-14', 'none', '2015-06-02'];
    const taken = (take: string) =>
      one('phone.porting.portedDate', `{ at: list, take: ${take}, values: { none: never } }`, { list });
    expect(taken('latest')).toEqual({ value: '2019-03-14' });
    expect(taken('earliest')).toEqual({ value: 'never' });
  });
  test('max and min of numbers, and of levels by their steps', () => {
    expect(one('phone.score', '{ at: a, take: max }', { a: [9, '10', 8] })).toEqual({ value: 10 });
    expect(one('phone.score', '{ at: a, take: min }', { a: [9, '10', 8] })).toEqual({ value: 8 });
    expect(one('phone.riskLevel', '{ at: a, take: max }', { a: ['low', 'high', 'medium'] })).toEqual({ value: 'high' });
    expect(one('phone.riskLevel', '{ at: a, take: min }', { a: ['low', 'veryLow'] })).toEqual({ value: 'veryLow' });
  });
  test('two moves on one day count as two', () => {
    const list = ['2019-03-14', '2019-03-14'];
    expect(one('phone.porting.previousPort', '{ at: list, take: previous }', { list })).toEqual({
      value: '2019-03-14',
    });
  });
  test('a value that cannot be read makes the fact invalid and is never skipped', () => {
    const list = ['2019-03-14', 'March'];
    expect(one('phone.porting.portedDate', '{ at: list, take: latest }', { list })).toEqual({
      missing: 'invalid',
      raw: 'March',
    });
  });
  test('an unknown value among several makes the fact invalid: it may be the one to take', () => {
    const list = ['2015-06-02', null];
    expect(one('phone.porting.portedDate', '{ at: list, take: latest }', { list })).toEqual({
      missing: 'invalid',
      raw: '["2015-06-02",null]',
    });
    expect(one('phone.porting.portedDate', '{ at: list, take: latest }', { list: [null, ''] })).toEqual({
      missing: 'notReturned',
    });
    expect(one('phone.porting.portedDate', '{ at: list, take: first }', { list })).toEqual({ value: '2015-06-02' });
  });
  test.each([
    ['list[*].day', { list: [{ day: '2015-06-02' }, {}] }],
    ['list[*].day', { list: [{ day: '2015-06-02' }, null] }],
    ['list[*].port.day', { list: [{ port: { day: '2015-06-02' } }, {}] }],
    ['list[*].port.day', { list: [{ port: { day: '2015-06-02' } }, { port: null }] }],
    ['list[*].ports[*].day', { list: [{ ports: [{ day: '2015-06-02' }] }, { ports: [{}] }] }],
    ['list[*].ports[*].day', { list: [{ ports: [{ day: '2015-06-02' }] }, {}] }],
    ['list[*].ports[*].day', { list: [{ ports: [{ day: '2015-06-02' }] }, { ports: null }] }],
    ["list[?@.kind == 'port'].day", { list: [{ kind: 'port', day: '2015-06-02' }, { kind: 'port' }] }],
    ['$..list[*].day', { list: [{ day: '2015-06-02' }, {}] }],
    ['list.*.day', { list: { one: { day: '2015-06-02' }, other: {} } }],
    ['list[*][0]', { list: [['2015-06-02'], []] }],
  ])('%s: an entry of %j without the value is as one with null', (at, body) => {
    const read = (take: string) => one('phone.porting.portedDate', `{ at: ${JSON.stringify(at)}${take} }`, body);
    const missing = { missing: 'invalid', raw: '["2015-06-02",null]' };
    for (const take of ['latest', 'earliest', 'previous']) expect(read(`, take: ${take}`)).toEqual(missing);
    expect(read('')).toEqual(at === 'list.*.day' ? { value: '2015-06-02' } : missing);
    expect(read(', take: first')).toEqual({ value: '2015-06-02' });
  });
  test('an empty list within an entry has no values, and what is no entry lacks none', () => {
    const lists = { list: [{ ports: [{ day: '2015-06-02' }] }, { ports: [] }] };
    const day = { value: '2015-06-02' };
    expect(one('phone.porting.portedDate', '{ at: "list[*].ports[*].day", take: latest }', lists)).toEqual(day);
    const map = { list: { one: { day: '2015-06-02' }, count: 1 } };
    expect(one('phone.porting.portedDate', '{ at: "list.*.day", take: latest }', map)).toEqual(day);
  });
  test('the count of entries is unknown if one has no value', () => {
    const count = (list: unknown) => one('phone.porting.portCount', '{ at: "list[*].day", take: count }', { list });
    expect(count([{ day: '2015-06-02' }, {}])).toMatchObject({ missing: 'invalid' });
    expect(count([{ day: '2015-06-02' }, { day: '2015-06-02' }])).toEqual({ value: 2 });
  });
  test('one value has no previous one, and an empty list has no value', () => {
    expect(one('phone.porting.previousPort', '{ at: list, take: previous }', { list: ['2019-03-14'] })).toEqual({
      missing: 'notReturned',
    });
    expect(one('phone.porting.portedDate', '{ at: list, take: latest }', { list: [] })).toEqual({
      missing: 'notReturned',
    });
  });

  test.each([
    ['the entries of a list that is named', 'list', { list: [{}, { a: 1 }, 'x'] }, { value: 3 }],
    ['the values that a path finds', '"$.list[*].a"', { list: [{ a: 1 }, { a: 2 }] }, { value: 2 }],
    [
      'the entries of a list found by a filter',
      `"$.s[?@.x == 1].list"`,
      { s: [{ x: 1, list: [1, 2, 3] }] },
      { value: 3 },
    ],
    ['zero if the list is empty', 'list', { list: [] }, { value: 0 }],
    ['not an absent list', 'list', {}, { missing: 'notReturned' }],
    ['not null', 'list', { list: null }, { missing: 'notReturned' }],
    ['not a path that finds no entry', '"$.list[*]"', { list: [] }, { missing: 'notReturned' }],
    ['not a value that is not a list', 'list', { list: '2' }, { missing: 'invalid', raw: '2' }],
    ['not unknown entries', 'list', { list: [1, null] }, { missing: 'invalid', raw: '[1,null]' }],
  ])('count counts %s', (_, at, body, expected) => {
    expect(one('phone.porting.portCount', `{ at: ${at}, take: count }`, body)).toEqual(expected);
  });
});

describe('a path', () => {
  test('that finds several values without `take` gives one value if they agree, otherwise invalid', () => {
    expect(one('phone.riskLevel', '"$.a[*]"', { a: ['High', 'HIGH'] })).toEqual({ value: 'high' });
    expect(one('phone.riskLevel', '"$.a[*]"', { a: ['High', 'low'] })).toEqual({
      missing: 'invalid',
      raw: '["High","low"]',
    });
    expect(one('phone.riskLevel', '"$.a[*]"', { a: ['High', null] })).toEqual({
      missing: 'invalid',
      raw: '["High",null]',
    });
    expect(one('phone.riskLevel', 'a', { a: ['High'] })).toEqual({ missing: 'invalid', raw: '["High"]' });
  });
  test('is the first of several that finds something, even null', () => {
    expect(one('phone.score', '[a, b.c, d]', { b: { c: 7 }, d: 8 })).toEqual({ value: 7 });
    expect(one('phone.score', '[a, b.c]', { a: null, b: { c: 7 } })).toEqual({ missing: 'notReturned' });
  });
  test('may have names in brackets, indexes and equality filters', () => {
    const body = {
      'Core Service': [
        { group: 'Phone', value: 7 },
        { group: 'Email', value: 8 },
      ],
    };
    expect(one('phone.score', `'["Core Service"][1].value'`, body)).toEqual({ value: 8 });
    expect(one('phone.score', `"$['Core Service'][?@.group == 'Phone'].value"`, body)).toEqual({ value: 7 });
  });
  test('finds own properties only', () => {
    for (const place of ['constructor.name', '__proto__.x', 'toString', 'a.length', 'a.constructor.name']) {
      expect(one('ip.isp', `"${place}"`, { a: 'text' }), place).toEqual({ missing: 'notReturned' });
    }
    expect(one('ip.isp', '"__proto__.x"', JSON.parse('{"__proto__":{"x":"own"}}'))).toEqual({ value: 'own' });
  });
});

describe('never', () => {
  const signal = '{ at: date, never: { at: history, is: [[], none, { moves: 0 }] } }';
  const date = (body: unknown) => one('phone.porting.portedDate', signal, body);
  test('applies if its path finds one of its values', () => {
    for (const history of [[], 'None', { moves: 0 }]) {
      expect(date({ history })).toEqual({ value: 'never' });
      expect(date({ history, date: null })).toEqual({ value: 'never' });
    }
  });
  test('does not apply if its path finds nothing or something else', () => {
    for (const history of [undefined, null, [1], 'some', { moves: 1 }, { moves: 0, more: 1 }, {}, '', 0]) {
      expect(date({ history })).toEqual({ missing: 'notReturned' });
      expect(date({ history, date: '2019-03-14' })).toEqual({ value: '2019-03-14' });
    }
  });
  test('together with a date is a contradiction', () => {
    expect(date({ history: [], date: '2019-03-14' })).toEqual({ missing: 'invalid', raw: '2019-03-14' });
    expect(date({ history: [], date: 'garbage' })).toEqual({ missing: 'invalid', raw: 'garbage' });
  });
  test('may have the same path as the date itself', () => {
    const same = '{ at: date, never: { at: date, is: [Never ported] } }';
    expect(one('phone.porting.portedDate', same, { date: 'NEVER_PORTED' })).toEqual({ value: 'never' });
    expect(one('phone.porting.portedDate', same, { date: '2019-03-14' })).toEqual({ value: '2019-03-14' });
  });
});

describe('the day that a service writes for "no date"', () => {
  const FIRST_SEEN = 'email.domain.firstSeen';
  const NOTHING = { missing: 'notReturned' };
  test.each([
    '0001-01-01',
    '0001-01-01T00:00:00',
    '1900-01-01',
    '1900-01-01T00:00:00.000Z',
    '1970-01-01',
    '1970-01-01T00:00:00Z',
    '1970-01-01 01:00:00+01:00',
    '1969-12-31',
    '1969-12-31T19:00:00-05:00',
  ])('is missing: %s', (date) => {
    expect(one(FIRST_SEEN, 'date', { date })).toEqual(NOTHING);
  });
  test('is missing in every format', () => {
    expect(one(FIRST_SEEN, '{ at: date, formats: [dd/MM/yyyy] }', { date: '01/01/1970' })).toEqual(NOTHING);
    expect(one(FIRST_SEEN, '{ at: date, formats: [yyyyMMdd] }', { date: 19000101 })).toEqual(NOTHING);
  });
  test('leaves the days beside it alone', () => {
    for (const date of ['0001-01-02', '1899-12-31', '1900-01-02', '1970-01-02', '1969-12-30']) {
      expect(one(FIRST_SEEN, 'date', { date })).toEqual({ value: date });
    }
  });
  test('makes a list of which the latest day counts invalid, as any placeholder does', () => {
    const history = ['2019-03-14', '0001-01-01'];
    const latest = one('phone.porting.portedDate', '{ at: history, take: latest }', { history });
    expect(latest).toEqual({ missing: 'invalid', raw: JSON.stringify(history) });
  });
  test('does not contradict that something never happened', () => {
    const ported = '{ at: date, never: { at: history, is: [[]] } }';
    expect(one('phone.porting.portedDate', ported, { history: [], date: '0001-01-01' })).toEqual({ value: 'never' });
  });
  test('is what `values` says', () => {
    const values = 'values: { "1970-01-01": "1970-01-01", "0001-01-01": never }';
    const day = (date: string) => one('phone.porting.portedDate', `{ at: date, ${values} }`, { date });
    expect(day('1970-01-01')).toEqual({ value: '1970-01-01' });
    expect(day('0001-01-01')).toEqual({ value: 'never' });
    expect(day('1900-01-01')).toEqual(NOTHING);
  });
  test('of a date that need not lie in the past is not the eve of the epoch', () => {
    const facts = 'facts: { identity.dateOfBirth: { type: date } }';
    const mapping = mappingOf(`signals: { identity.dateOfBirth: date }\n${facts}`);
    const asked = { ...ASKED, composite: true };
    const born = (date: string) => give({ date }, mapping, asked).get('identity.dateOfBirth');
    expect(born('1969-12-31')).toEqual({ value: '1969-12-31' });
    expect(born('1970-01-01')).toEqual(NOTHING);
  });
});

describe('a location', () => {
  const mapping = mappingOf('signals: { ip.location.latitude: lat, ip.location.longitude: lon }');
  const location = (body: object) => {
    const given = give(body, mapping);
    return [given.get('ip.location.latitude'), given.get('ip.location.longitude')];
  };
  const none = { missing: 'notReturned' };
  test('of exactly 0, 0 is not returned', () => {
    expect(location({ lat: 0, lon: '0.0' })).toEqual([none, none]);
    expect(location({ lat: 0, lon: 0.1 })).toEqual([{ value: 0 }, { value: 0.1 }]);
    expect(location({ lat: 51.5, lon: 0 })).toEqual([{ value: 51.5 }, { value: 0 }]);
  });
  test('with one half missing is not returned', () => {
    expect(location({ lat: 51.5 })).toEqual([none, none]);
    expect(location({ lon: 3, lat: 91 })).toEqual([{ missing: 'invalid', raw: '91' }, none]);
  });
});

test('a polluted prototype changes no fact', () => {
  const body = readSample('shape-1');
  const never = mappingOf(
    'signals: { phone.porting.portedDate: { at: date, never: { at: history, is: [{ moves: 0 }] } } }',
  );
  const read = () => JSON.stringify([...factsOf(body), ...give({ history: { x: 1 } }, never)]);
  const before = read();
  const polluted = {
    ...{ missing: 'invalid', value: 1, raw: 'x', take: 'count', range: [0, 1] },
    ...{ status: 'x', moves: 0, riskLevel: 'low', serviceResponses: {} },
  };
  try {
    for (const [key, value] of Object.entries(polluted)) Object.assign(Object.prototype, { [key]: value });
    expect(read()).toBe(before);
  } finally {
    for (const key of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, key);
  }
});
