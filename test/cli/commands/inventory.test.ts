/** `verdict facts`, `rules` and `lists`: what a policy has, whose it is, and where it stands. */

import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const FILES = {
  'policy.yaml': `${HEAD}facts:
  context.channel: { type: enum, values: [web, branch], description: Where they sign up }
  context.income: { type: number, unit: EUR, personal: true }
  context.double: { type: number, compute: { product: [context.income, 2] } }
lists:
  staff: [{ value: pat@bank.example, until: 2026-12-31, note: until the audit, owner: fraud }, sam@bank.example]
  domains: { file: lists/domains.txt, description: Domains of confirmed fraud }
  unused: [{ value: a, until: 2026-11-21 }]
ruleSets: [sets/phone.yaml]
rules:
  - { id: staff, when: { applicant.email: { inList: staff } }, then: accept, final: true, owner: fraud, tags: [allow] }
  - { id: domain, when: { applicant.emailDomain: { inDomainList: domains } }, then: reject, owner: fraud }
  - { id: income, when: { context.double: { below: 10 } }, points: 15, until: 2025-12-31, owner: credit }
  - { id: trial, when: { context.channel: web }, then: review, mode: shadow, from: 2027-01-01 }
`,
  'lists/domains.txt': '# ours\nspam.example\nold.example until 2026-01-31\n',
  'sets/phone.yaml': `tables:
  - id: types
    owner: phone
    columns: [phone.type, then, points]
    rows:
      - [voip, reject, 20]
      - [prepaid, review, any]
`.replace('prepaid, review, any', 'mobile, accept, -5'),
};

const list = async (command: string, ...args: string[]) => {
  const folder = temporaryFolder(FILES);
  const ran = await runCli([command, '--policy', join(folder, 'policy.yaml'), '--at', '2026-11-20', ...args]);
  return { ...ran, stdout: ran.stdout.replaceAll(`${folder}/`, '') };
};
const json = async (command: string, ...args: string[]) => JSON.parse((await list(command, ...args, '--json')).stdout);

describe('verdict rules', () => {
  it('lists every rule with what it asks for, whose it is, and where it stands', async () => {
    expect((await list('rules')).stdout).toMatchInlineSnapshot(`
      "  rule     then    points  reason   mode                                 owner   tags   where
        staff    accept          STAFF    final                                fraud   allow  policy.yaml:14
        domain   reject          DOMAIN                                        fraud          policy.yaml:15
        income           +15     INCOME   until 2025-12-31, expired            credit         policy.yaml:16
        trial    review          TRIAL    shadow, from 2027-01-01, not active                 policy.yaml:17
        types/1  reject  +20     TYPES_1                                       phone          sets/phone.yaml:6
        types/2  accept  -5      TYPES_2                                       phone          sets/phone.yaml:7

      6 rules
      "
    `);
  });

  it('selects by outcome, owner, tag and fact', async () => {
    const ids = async (...args: string[]) => (await json('rules', ...args)).map(({ id }: { id: string }) => id);
    expect(await ids('--then', 'reject')).toEqual(['domain', 'types/1']);
    expect(await ids('--then', 'reject', '--owner', 'fraud')).toEqual(['domain']);
    expect(await ids('--tag', 'allow')).toEqual(['staff']);
    expect(await ids('--fact', 'phone.type')).toEqual(['types/1', 'types/2']);
    expect((await list('rules', '--owner', 'fraud')).stdout).toContain('2 of 6 rules');
  });

  it.each([
    ['--owner', 'froud', 'no rule has that owner; did you mean "fraud"?'],
    ['--tag', 'deny', 'no rule has that tag'],
    ['--fact', 'phone.typ', 'no rule has that fact; did you mean "phone.type"?'],
  ])('says that no rule has such a name (%s %s)', async (option, name, said) => {
    expect(await list('rules', option, name)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `verdict: ${option}: ${said}\n`,
    });
  });

  it('prints the same as JSON and as CSV', async () => {
    const [staff, , , trial] = await json('rules');
    expect(staff).toEqual({
      ...{ id: 'staff', outcome: 'accept', points: null, reason: 'STAFF', final: true, shadow: false },
      ...{ whenUnknown: 'review', from: null, until: null, active: true, owner: 'fraud', tags: ['allow'] },
      ...{ description: null, facts: ['applicant.email'], lists: ['staff'], file: 'policy.yaml', line: 14 },
    });
    expect(trial).toMatchObject({ shadow: true, from: '2027-01-01', active: false });
    const [row] = parse((await list('rules', '--format', 'csv')).stdout, { columns: true, record_delimiter: '\r\n' });
    expect(row).toMatchObject({ id: 'staff', points: '', final: 'true', tags: 'allow', lists: 'staff', line: '14' });
  });
});

describe('verdict rules --calendar', () => {
  it('lists what begins and what has its last day, of rules and entries, from a day on', async () => {
    expect((await list('rules', '--calendar')).stdout).toMatchInlineSnapshot(`
      "  day         event     rule   list    entries  owner  where
        2026-11-21  last day         unused  1               policy.yaml:11
        2026-12-31  last day         staff   1        fraud  policy.yaml:9
        2027-01-01  begins    trial                          policy.yaml:17

      3 events
      "
    `);
  });

  it('gives the same as JSON and CSV, and takes no choice of rules', async () => {
    const [first] = await json('rules', '--calendar');
    expect(first).toMatchObject({ day: '2026-11-21', event: 'last day', rule: null, list: 'unused', entries: 1 });
    const { stdout } = await list('rules', '--calendar', '--format', 'csv');
    expect(stdout).toContain('\r\n2027-01-01,begins,trial,,,,policy.yaml,17\r\n');
    expect((await list('rules', '--calendar', '--owner', 'fraud')).exitCode).toBe(2);
  });
});

describe('verdict lists', () => {
  it('lists every list with its entries, the rules that use it, and its file', async () => {
    expect((await list('lists')).stdout).toMatchInlineSnapshot(`
      "  list     entries  expired  used by  description                 where
        staff    2        0        staff                                policy.yaml:9
        domains  2        1        domain   Domains of confirmed fraud  lists/domains.txt:2
        unused   1        0                                             policy.yaml:11

      3 lists
      "
    `);
  });

  it('lists the entries that expire within some days, and those that have', async () => {
    expect((await list('lists', '--expiring', '60')).stdout).toMatchInlineSnapshot(`
      "  list     until       days  value        owner  where
        domains  2026-01-31  -293  old.example         lists/domains.txt:3
        unused   2026-11-21  1                         policy.yaml:11
        staff    2026-12-31  41                 fraud  policy.yaml:9

      3 entries
      "
    `);
    expect(await json('lists', '--expiring', '0')).toEqual([
      {
        ...{ list: 'domains', until: '2026-01-31', days: -293, value: 'old.example', note: null, owner: null },
        ...{ file: 'lists/domains.txt', line: 3 },
      },
    ]);
    const csv = (await list('lists', '--expiring', '1', '--format', 'csv')).stdout;
    expect(csv.split('\r\n')).toEqual([
      'list,until,days,value,note,owner,file,line',
      'domains,2026-01-31,-293,old.example,,,lists/domains.txt,3',
      'unused,2026-11-21,1,,,,policy.yaml,11',
      '',
    ]);
  });

  it('shows no value and no note of a list about people', async () => {
    for (const args of [[], ['--json'], ['--format', 'csv']]) {
      expect((await list('lists', '--expiring', '60', ...args)).stdout).not.toMatch(/pat@bank|until the audit/);
    }
  });
});

describe('verdict facts with a policy', () => {
  const facts = async (...args: string[]) =>
    (await runCli(['facts', '--policy', join(temporaryFolder(FILES), 'policy.yaml'), ...args])).stdout;

  it("prints the policy's own facts, and which ones are personal", async () => {
    const text = await facts();
    expect(text).toMatch(/context\.channel +enum +Where they sign up\n +web, branch\n/);
    expect(text).toMatch(/context\.income +number\n +EUR; personal\n/);
    expect(text).toMatch(/context\.double +number\n +computed by the policy; personal\n/);
    expect(text).toMatch(/applicant\.email +string .*\n +personal\n/);
  });

  it('has the rules that read each fact as JSON and CSV', async () => {
    expect(JSON.parse(await facts('--json'))).toContainEqual(
      expect.objectContaining({ path: 'context.double', personal: true, usedBy: ['income'] }),
    );
    expect(JSON.parse(await facts('--json'))).toContainEqual(
      expect.objectContaining({ path: 'context.income', usedBy: ['income'] }),
    );
    const rows = parse(await facts('--format', 'csv'), { columns: true, record_delimiter: '\r\n' });
    expect(rows).toContainEqual(expect.objectContaining({ path: 'phone.type', usedBy: 'types/1 types/2' }));
  });
});
