/** `verdict prove`, as an analyst types it. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../support/cli/cli.ts';
import { temporaryFolder } from '../../../support/policy/policy.ts';

const POLICY = `policy: signup
version: "1"
default: accept
rules:
  - { id: voip, when: { phone.type: voip }, then: reject }
  - { id: corporate, when: { email.domain.type: corporate }, then: accept, final: true }
  - { id: gone, when: { email.domain.type: disposable }, then: review, whenUnknown: ignore }
guarantees:
  - { id: no-voip, never: accept, when: { phone.type: voip } }
  - { id: no-gone, atLeast: review, when: { email.domain.type: disposable } }
`;

function folderWith(policy: string) {
  const folder = temporaryFolder({ 'policy.yaml': policy });
  return {
    folder,
    prove: (...args: string[]) => runCli(['prove', join(folder, 'policy.yaml'), ...args, '--at', '2026-11-20']),
  };
}

/** No text matches both patterns, which no proof looks into. */
const PATTERNS = ['^a+x', '^b+x'].map((pattern) => `{ ip.isp: { matches: "${pattern}" } }`).join(', ');
const OPERATOR = 'phone.operator.current';
const UNDECIDED = [
  {
    rules: [`id: isp, when: { all: [${PATTERNS}] }`],
    stuckOn: ['ip.isp'],
    says: 'no value of ip.isp was found, as the rule "isp" would need it.',
  },
  {
    rules: [
      `id: same, when: { all: [{ ip.isp: { is: { fact: ${OPERATOR} } } }, ${PATTERNS.replaceAll('^a', '^c')}] }`,
      `id: other, when: { all: [{ ${OPERATOR}: { matches: "^x+y" } }, { ip.isp: { is: { fact: ${OPERATOR} } } }] }`,
    ],
    stuckOn: ['ip.isp', OPERATOR],
    says: `no values of ip.isp and ${OPERATOR} were found together, as the rules "same" and 1 more would need them.`,
  },
];

describe('verdict prove', () => {
  it.each(UNDECIDED)(
    'names the facts and rules that leave a property open: $stuckOn',
    async ({ rules, stuckOn, says }) => {
      const lines = rules.map((rule) => `  - { ${rule}, then: reject, whenUnknown: ignore }\n`).join('');
      const head = POLICY.slice(0, POLICY.indexOf('rules:'));
      const { prove } = folderWith(`${head}rules:\n${lines}`);
      const { exitCode, stdout } = await prove('reachable:reject');
      expect(stdout).toContain(`Undecided, and more steps do not help: ${says}\n`);
      expect(exitCode).toBe(4);
      const [property] = JSON.parse((await prove('reachable:reject', '--json')).stdout).properties;
      expect(property).toMatchObject({ result: 'undecided', stuckOn });
    },
  );

  it('says what is proved, and shows who breaks the rest, why, and a test', async () => {
    const { folder, prove } = folderWith(POLICY);
    const { exitCode, stdout } = await prove('guarantee', 'outage:phone');
    expect(
      stdout.replaceAll(folder, ''),
    ).toBe(`proved    guarantee:no-gone: every applicant for whom the condition is true gets at least review; where it is unknown, nothing is said
proved    outage:phone: no applicant is accepted because the phone source is down
refuted   guarantee:no-voip: no applicant for whom the condition is true gets accept

  /policy.yaml:9:5
  ACCEPT  {"facts":{"phone.type":"voip","email.domain.type":"corporate"}}
    CORPORATE: email.domain.type is corporate
      rule corporate, accept, final

  a test to keep:
    - name: "guarantee:no-voip: no applicant for whom the condition is true gets accept"
      at: 2026-11-20
      facts: { phone.type: voip, email.domain.type: corporate }
      expect: { outcome: review }

2 proved, 1 refuted. A proof holds for every applicant, from 2026-11-20 on.
To say it where a condition is unknown too: \`any: [the condition, { FACT: { known: false } }]\` for its facts.
`);
    expect(exitCode).toBe(1);
  });

  it('proves the guarantees, that nothing missing helps, and outages, unless something else is asked for', async () => {
    const { prove } = folderWith(POLICY);
    const { stdout } = await prove('--json');
    const { holds, properties } = JSON.parse(stdout);
    const results = properties.map(({ property, result }: { property: string; result: string }) => [property, result]);
    expect(holds).toBe(false);
    expect(results).toEqual([
      ['guarantee:no-voip', 'refuted'],
      ['guarantee:no-gone', 'proved'],
      ['missing-never-helps', 'refuted'],
      ['outage:phone', 'proved'],
      ['outage:email', 'refuted'],
      ['outage:ip', 'proved'],
      ['outage:identity', 'proved'],
    ]);
  });

  it('shows no value of a list of people, nor a test with one', async () => {
    const { prove } = folderWith(`policy: signup
version: "1"
default: accept
lists: { known: [jo.doe@firm.example, ann.lee@firm.example] }
rules:
  - { id: listed, when: { applicant.email: { inList: known } }, then: reject }
guarantees:
  - { id: nobody, never: reject, when: { phone.score: { atLeast: 50 } } }
  - { id: none-known, never: accept, when: { applicant.email: { startsWith: ann } } }
`);
    for (const format of ['text', 'markdown']) {
      const { stdout } = await prove('guarantee', '--format', format);
      expect(stdout).toContain('REJECT  {"facts":{"applicant.email":"(not shown)","phone.score":50}}');
      expect(stdout).toContain('a test to keep needs a value of a personal fact that the policy names (not shown)');
      expect(stdout).not.toContain('.example');
    }
    expect((await prove('guarantee:nobody', '--json')).stdout).toContain('@firm.example');
  });

  it('gives tests that fail until the property holds', async () => {
    const { folder, prove } = folderWith(POLICY);
    const { stdout } = await prove('outage:email');
    expect(stdout).toContain('  ACCEPT  the same without email.domain.type\n');
    const [, test = ''] = stdout.split('a test to keep:\n');
    const item = test.split('\n\n')[0] ?? '';
    writeFileSync(join(folder, 'policy.test.yaml'), `policy: policy.yaml\nat: 2026-11-20\ntests:\n${item}\n`);
    const ran = () => runCli(['test', join(folder, 'policy.test.yaml')]);
    expect((await ran()).stdout).toContain('outcome: expected review, found accept');
    writeFileSync(join(folder, 'policy.yaml'), POLICY.replace(', whenUnknown: ignore', ''));
    expect((await ran()).exitCode).toBe(0);
    expect((await prove('outage:email')).exitCode).toBe(0);
  });

  it('takes parameters, and git revisions as diff does', async () => {
    const policy = 'policy: a\nversion: "1"\ndefault: accept\nparameters: { limit: 80 }\n';
    const { prove } = folderWith(
      `${policy}rules: [{ id: a, when: { phone.score: { atLeast: $limit } }, then: review }]
guarantees: [{ id: risky, never: accept, when: { phone.score: { atLeast: 80 } } }]\n`,
    );
    expect((await prove('guarantee')).exitCode).toBe(0);
    expect((await prove('guarantee', '--set', 'limit=81')).stdout).toContain('"phone.score":80');
  });

  it('writes a comment for a pull request', async () => {
    const { folder, prove } = folderWith(POLICY);
    const { stdout } = await prove('guarantee', '--format', 'markdown');
    expect(stdout.replaceAll(folder, '').split('\n').slice(0, 7)).toEqual([
      '| property | says, from 2026-11-20 on | result |',
      '| --- | --- | --- |',
      '| `guarantee:no-voip` | no applicant for whom the condition is true gets accept | refuted |',
      '| `guarantee:no-gone` | every applicant for whom the condition is true gets at least review; where it is unknown, nothing is said | proved |',
      '',
      '### guarantee:no-voip',
      '',
    ]);
  });

  it.each([
    [['no-voip'], 'unknown property; did you mean "guarantee:no-voip"?'],
    [['guarantee:no-viop'], 'unknown name after "guarantee:"; did you mean "no-voip"?'],
    [['outage:mail'], 'unknown name after "outage:"; did you mean "email"?'],
    [
      ['monotone:phone.type'],
      'unknown name after "monotone:"; expected a fact of the policy that is a number or a level',
    ],
    [['monotone'], 'no name after "monotone:"; expected a fact'],
    [['proof'], 'unknown property; expected guarantee or guarantee:ID, missing-never-helps, outage'],
    [['missing-never-helps:x'], 'missing-never-helps is about the whole policy: leave out ":"'],
  ])('refuses %j', async (names, message) => {
    const { exitCode, stderr } = await folderWith(POLICY).prove(...names);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });
});
