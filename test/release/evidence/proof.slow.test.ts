/** The proof of a change: one text wherever it is made, what it has of a change, and nothing about people. */

import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { proofText, readProof } from '../../../src/release/evidence/proof.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { DAY, edited, proofOf, RULES } from '../../support/release/rule-folders.ts';

const STRICTER = edited({ 'atLeast: 80': 'atLeast: 60', '"1"': '"2"' });

describe('a proof', () => {
  it('is the same text in other folders and other processes, and is read as it was', async () => {
    const proof = await proofOf(STRICTER, RULES);
    const [files, base] = [temporaryFolder(STRICTER), temporaryFolder(RULES)];
    const module = resolve(import.meta.dirname, '../../../src/release/evidence/proof.ts');
    const options = { files, base, mapping: 'signals.yaml', day: DAY };
    const code = `const { makeProof, proofText } = await import(${JSON.stringify(module)});
      process.stdout.write(proofText(await makeProof(${JSON.stringify(options)})));`;
    const env = { ...process.env, TZ: 'Pacific/Auckland' };
    const text = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8', env });
    expect(text).toBe(proofText(proof));
    expect(readProof(text)).toEqual(proof);
    expect(text).not.toContain(files);
  });

  it('is read in its one form alone', async () => {
    const text = proofText(await proofOf(RULES));
    expect(readProof(`${text}\n`)).toBeUndefined();
    expect(readProof(text.replace('"format":1', '"format":2'))).toBeUndefined();
    expect(readProof(text.replace('{"check"', '{"aside":1,"check"'))).toBeUndefined();
    expect(readProof('{')).toBeUndefined();
  });

  it('has the edits, the regions and what each edit alone changes', async () => {
    const now = edited({ 'atLeast: 80': 'atLeast: 60', 'voip }, then: review': 'voip }, then: reject', '"1"': '"2"' });
    const { policies, mapping, guarantees } = await proofOf(now, RULES);
    expect(mapping).toBe('same');
    expect(guarantees).toEqual([{ policy: 'signup', id: 'no-voip', result: 'proved' }]);
    const [change] = policies;
    if (!change) throw new Error('expected one policy');
    const { edits, regions, alone, elsewhere, lastDay, days } = change;
    expect(edits).toContain('rule debt: context.debt atLeast 80 is now 60');
    expect(regions.map(({ from, to, isFound }) => `${from} ${to} ${isFound}`)).toContain('accept review true');
    expect(regions.every(({ firstDay }) => firstDay === DAY)).toBe(true);
    expect(alone.map(({ edits, can, undecided }) => ({ edits, can, undecided }))).toEqual([
      {
        edits: [expect.stringContaining('rule voip')],
        can: [{ from: 'review', to: 'reject' }],
        undecided: [],
      },
      { edits: [expect.stringContaining('rule debt')], can: [{ from: 'accept', to: 'review' }], undecided: [] },
    ]);
    expect({ elsewhere, lastDay, days }).toEqual({ elsewhere: 'same', lastDay: undefined, days: [DAY, '2027-04-01'] });
  });

  it('has what tests pass and fail, whose expectations differ, and what they do not reach of the change', async () => {
    const tests = `policy: signup.yaml
mapping: signals.yaml
at: today
tests:
  - { name: much debt, facts: { context.debt: 90 }, expect: { outcome: reject } }
  - { name: some debt, facts: { context.debt: 70 }, skip: later, expect: { outcome: review } }
`;
    const { tests: ran, coverage } = await proofOf({ ...STRICTER, 'signup.test.yaml': tests }, RULES);
    const file = 'signup.test.yaml';
    expect(ran).toEqual({
      passed: 0,
      failed: [{ file, name: 'much debt', line: 5 }],
      skipped: [{ file, name: 'some debt', line: 6 }],
      changed: [{ file, name: 'much debt', line: 5 }],
      removed: [{ file, name: 'little debt', line: 6 }],
    });
    const [counted] = coverage;
    const { goals = 0, reached = 0, unreached = [] } = counted ?? {};
    expect(counted?.policy).toBe('signup');
    expect(goals - reached).toBe(unreached.length);
    // The other rules mean what they did.
    expect(unreached.every(({ what }) => /debt/.test(what))).toBe(true);
    expect(unreached.map(({ file, line }) => `${file}:${line}`)).toContain('signup.yaml:12');
  });

  it('runs tests of today as of its day', async () => {
    const later = edited({
      'then: review, whenUnknown: ignore }\n  - { id: person': `then: review, from: 2050-01-01 }
  - { id: person`,
    });
    const failedOn = async (day: string) => (await proofOf(later, undefined, { day })).tests.failed.length;
    expect([await failedOn('2020-01-01'), await failedOn('2090-01-01')]).toEqual([1, 0]);
  });

  it('says which warnings are silenced, and which of them newly', async () => {
    const allow = '# verdict: allow covered (kept for its reason)\n  - { id: debt-';
    const one = `rules:\n  ${allow}old, when: { context.debt: { atLeast: 90 } }, then: review, whenUnknown: ignore }`;
    const base = edited({ 'rules:': one });
    const two = `rules:\n  ${allow}new, when: { context.debt: { atLeast: 95 } }, then: review, whenUnknown: ignore }`;
    const { check } = await proofOf(edited({ 'rules:': two }, {}, base), base);
    expect(check.silenced.map(({ code, isNew }) => `${code} ${isNew}`)).toEqual(['covered true', 'covered false']);
    expect(check.errors).toEqual([]);
  });

  it('names nobody: no entry of a list, and no text that a personal fact is compared with', async () => {
    const own = {
      'context.debt: { type: integer }':
        'context.debt: { type: integer }\n  context.name: { type: string, personal: true }\n  context.rank: { type: string }',
      '"1"': '"2"',
      'rules:': `parameters: { who: Carla Quint, host: odd-mail.example }
rules:
  - { id: named, when: { context.name: Dora Quint }, then: review, whenUnknown: ignore }
  - { id: by-name, when: { context.name: $who }, then: reject, whenUnknown: ignore }
  - { id: by-domain, when: { applicant.emailDomain: $host }, then: reject, whenUnknown: ignore }
  - { id: to-domain, when: { applicant.emailDomain: sole-mail.example }, then: review, whenUnknown: ignore }
  - { id: not-shop, when: { context.shop: { in: [Own Shop, Corner Shop] } }, then: reject, whenUnknown: ignore }`,
      'Corner Shop, {': 'Corner Shop, "Smith, Sons", "Ria Bell <ria@mail.example>", {',
    };
    const tests = `${RULES['signup.test.yaml']}  - name: what Dora Quint of eve@mail.example, a friend of Fay Noon, gets at Smith, Sons or Ria Bell <ria@mail.example>
    facts: { context.name: Fay Noon, context.shop: "Smith, Sons" }
    expect: { outcome: reject }
`;
    const files = {
      'lists/people.txt': 'ann.example@mail.example\ncid.example@mail.example\n',
      'signup.test.yaml': tests,
    };
    const proof = await proofOf(edited(own, files), RULES);
    const text = proofText(proof);
    expect(text).toMatch(/rule named is new: .*context\.name/);
    expect(proof.lists).toEqual([
      { policy: 'signup', list: 'people', before: 2, after: 2, added: 1, removed: 1 },
      { policy: 'signup', list: 'shops', before: 2, after: 4, added: 2, removed: 0 },
    ]);
    for (const secret of [
      'Quint',
      'Noon',
      'Bell',
      'odd-mail',
      'sole-mail',
      'mail.example',
      'Corner',
      'Sons',
      'Night Market',
      'Market',
    ]) {
      expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
    }
    // What is about nobody is shown.
    expect(text).toContain('Own Shop');
  });

  it.each([
    ['a pattern', '{ applicant.email: { matches: "^(gina|hal)[.]moss@" } }', /gina|moss/i],
    ['a part of a text', '{ applicant.email: { endsWith: "moss@mail.example" } }', /moss/i],
    ['a number that is somebody', '{ context.passport: { in: [4711234, 4711235] } }', /471123/],
    ['the date of a birth', '{ context.born: 1971-02-03 }', /1971/],
    ['what a velocity counts', '{ velocity.known: { atLeast: 2 } }', /ida/i],
    ['a text of several words', '{ context.name: "Ida Moss <ida@mail.example>" }', /ida|moss/i],
  ])('does not show %s', async (_, when, secret) => {
    const facts = `facts:
  context.name: { type: string, personal: true }
  context.passport: { type: integer, personal: true }
  context.born: { type: date, personal: true }`;
    const velocity = `velocity:
  known: { count: applications, by: ip, where: { context.name: ida moss }, within: 1 hour }
rules:
  - { id: own, when: ${when}, then: reject, whenUnknown: ignore }
  - { id: both, when: { not: ${when} }, then: review, whenUnknown: ignore }`;
    const { policies, coverage } = await proofOf(edited({ 'facts:': facts, 'rules:': velocity }), RULES);
    expect(policies[0]?.edits.join()).toContain('rule own is new');
    expect(JSON.stringify([policies, coverage])).not.toMatch(secret);
  });

  it('says of policies that cannot be compared, and of too few steps, that they are undecided', async () => {
    const other = edited({ 'context.debt: { type: integer }': 'context.debt: { type: integer, min: 0, max: 100 }' });
    const [one] = (await proofOf(other, edited({ 'type: integer': 'type: number' }))).policies;
    expect(one).toMatchObject({ elsewhere: 'notCompared', regions: [], beyond: ['facts context.debt'] });
    const short = await proofOf(edited({ 'atLeast: 80': 'atLeast: 60' }), RULES, { steps: 1 });
    expect(short.policies[0]?.elsewhere).not.toBe('same');
  });

  it('takes no test of a file outside the folder, and no policy twice', async () => {
    const outside = RULES['signup.test.yaml']?.replace('policy: signup.yaml', 'policy: ../other/signup.yaml') ?? '';
    const twice = proofOf({ ...RULES, 'copy.yaml': RULES['signup.yaml'] ?? '' });
    await expect(twice).rejects.toThrow(/copy.yaml and signup.yaml are policies of one name/);
    const nested = Object.fromEntries(Object.entries(RULES).map(([path, text]) => [`rules/${path}`, text]));
    const inProject = temporaryFolder({
      ...{ ...nested, 'package.json': '{}', 'rules/signup.test.yaml': outside },
      ...{ 'other/signup.yaml': RULES['signup.yaml'] ?? '', 'other/lists/people.txt': 'a@b.example\n' },
    });
    await expect(proofOf(RULES, undefined, { files: `${inProject}/rules` })).rejects.toThrow(
      /outside the folder of rules/,
    );
  });
});
