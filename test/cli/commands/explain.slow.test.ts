import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PERSONAS } from '../../../src/sandbox/index.ts';
import { pageOf, type RunSetting, runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}rules:
  - { id: risky, when: { phone.score: { above: 50 } }, then: review, points: 5, message: "Score {phone.score}." }
  - { id: moved, when: { phone.porting.portedDate: { withinLast: 7 days } }, then: reject }
  - { id: leaked, when: { email.darkWeb.hitCount: { atLeast: 3 } }, then: review }
  - { id: friend, when: { applicant.email: pal@mail.example }, then: accept, final: true }
  - { id: past, when: { phone.score: 1 }, then: reject, until: 2026-01-01 }
`;

const APPLICANT = {
  facts: { 'phone.score': 60, 'phone.porting.portedDate': '2026-11-10', 'applicant.email': 'secret@mail.example' },
  missing: { 'email.darkWeb.hitCount': 'sourceFailed' },
};

function explain(stdin: string, args: readonly string[] = [], setting: RunSetting = {}) {
  const policy = join(temporaryFolder({ 'policy.yaml': POLICY }), 'policy.yaml');
  return runCli(['explain', policy, '--facts', '-', '--at', '2026-11-20', ...args], { stdin, ...setting });
}

const line = (applicant: object) => `${JSON.stringify(applicant)}\n`;

describe('verdict explain', () => {
  it('shows what decided, what was undetermined, what did not fire, and what would change the outcome', async () => {
    const { exitCode, stdout, stderr } = await explain(line(APPLICANT));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(`REVIEW  policy test 1, on 2026-11-20

Because
  RISKY: Score 60.
    rule risky, review, +5 points
    - phone.score is above 50: 60
  LEAKED: The darkWeb source did not answer. A rule could not be determined, since facts are missing. It asks for review until it is.
    rule leaked

What was not known
  The darkWeb source did not answer.
  Whatever the answer is, it stays review.
  fact                                        why it is missing          needed by
  the darkWeb source: email.darkWeb.hitCount  its source did not answer  leaked

Could not be determined
  rule    asks for                  would fire if                         is
  leaked  review until it is known  email.darkWeb.hitCount is at least 3  missing: its source did not answer

Did not fire, the nearest first
  rule    asks for       would have needed                                     is                          missed by
  moved   reject         phone.porting.portedDate lies within the last 7 days  2026-11-10, 10 days before  3 days
  friend  accept, final  applicant.email is the listed value                   (not shown)

Facts that settle the outcome
  These 3 facts settle the outcome; none of them can be left out.
  As long as they stay as they are, it is review, whatever all other facts are.
  fact                      is
  applicant.email           (not shown)
  phone.porting.portedDate  2026-11-10, 10 days before
  phone.score               60

What would lead to accept
  This change leads to accept: 2 facts together, no fewer. It was decided again with its examples.
  fact                    is                                  would have to be  for example  how
  email.darkWeb.hitCount  missing: its source did not answer  at most 2         0            can be requested again
  and phone.score         60                                  at most 50        50
`);
    expect(stdout).not.toContain('secret');
  });

  it('shows what an undetermined rule asks for, may add to the score, and would ask for', async () => {
    const policy = `${HEAD}score: { review: 40 }
rules:
  - { id: grave, when: { email.darkWeb.hitCount: { atLeast: 3 }, phone.score: { above: 50 } }, then: reject }
  - { id: slight, when: { email.darkWeb.hitCount: { atLeast: 1 } }, points: 15 }
  - { id: ignored, when: { email.darkWeb.hitCount: { atLeast: 2 } }, points: 20, whenUnknown: ignore }
`;
    const file = join(temporaryFolder({ 'policy.yaml': policy }), 'policy.yaml');
    const { stdout } = await runCli(['explain', file, '--facts', '-', '--at', '2026-11-20'], {
      stdin: line(APPLICANT),
    });
    const is = 'missing: its source did not answer';
    expect(stdout).toContain(`Could not be determined
  rule     asks for                                      would fire if                         is
  grave    review until it is known, reject if it fires  email.darkWeb.hitCount is at least 3  ${is}
  slight   +15 possible                                  email.darkWeb.hitCount is at least 1  ${is}
  ignored  nothing                                       email.darkWeb.hitCount is at least 2  ${is}
`);
    expect(stdout).toContain('A missing fact is listed where the outcome could be another if it were known.');
  });

  it('gives the explanation itself with --json', async () => {
    const { stdout } = await explain(line(APPLICANT), ['--json', '--target', 'reject']);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'review',
      changes: { to: 'reject', result: 'found', sets: [[{ fact: 'phone.porting.portedDate', example: '2026-11-13' }]] },
    });
    expect(stdout).not.toContain('secret');
  });

  it.each([
    ['risky', /^Because\n {2}RISKY: Score 60\.\n {4}rule risky, review, \+5 points\n/],
    ['moved', /^Did not fire.*\n.*\n {2}moved.*3 days/s],
    ['leaked', /^Because\n.*\nCould not be determined\n.*leaked.*its source did not answer/s],
  ])('shows the result of one rule: %s', async (rule, expected) => {
    const { exitCode, stdout } = await explain(line(APPLICANT), ['--rule', rule]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(expected);
    const { stdout: json } = await explain(line(APPLICANT), ['--rule', rule, '--json']);
    const { reasons, undetermined, notFired } = JSON.parse(json);
    expect(new Set([reasons, undetermined, notFired].flat().map((each) => each.rule))).toEqual(new Set([rule]));
  });

  it('refuses a rule that the policy does not have, or that is not active on the day', async () => {
    const unknown = await explain(line(APPLICANT), ['--rule', 'riskyy']);
    expect(unknown).toMatchObject({
      exitCode: 2,
      stderr: 'verdict: --rule: the policy has no rule with that id; did you mean "risky"?\n',
    });
    const code = await explain(line(APPLICANT), ['--rule', 'RISKY']);
    expect(code).toMatchObject({ exitCode: 2, stderr: unknown.stderr });
    const over = await explain(line(APPLICANT), ['--rule', 'past']);
    expect(over).toMatchObject({ exitCode: 2, stderr: 'verdict: --rule: past is not active on 2026-11-20\n' });
  });

  it('reads one applicant from several lines with --line, or from one JSON object over several lines', async () => {
    const lines = line({ facts: { 'phone.score': 10 } }) + line(APPLICANT) + line({ facts: {}, at: '2026-11-16' });
    expect(await explain(lines)).toMatchObject({
      exitCode: 2,
      stderr: 'verdict: standard input has several applicants: choose one with --line\n',
    });
    expect((await explain(lines, ['--line', '2'])).stdout).toMatch(/^REVIEW .*on 2026-11-20\n/);
    expect((await explain(lines, ['--line', '3'])).stdout).toMatch(/on 2026-11-16\n/);
    const pretty = await explain(JSON.stringify(APPLICANT, null, 2));
    expect(pretty.stdout).toBe((await explain(line(APPLICANT))).stdout);
  });

  it('shows all rules that did not fire with --all, otherwise the nearest', async () => {
    const many = Array.from(
      { length: 30 },
      (_, i) => `  - { id: rule-${i}, when: { phone.score: ${i} }, then: review }\n`,
    );
    const policy = join(temporaryFolder({ 'policy.yaml': `${HEAD}rules:\n${many.join('')}` }), 'policy.yaml');
    const ask = (...args: string[]) =>
      runCli(['explain', policy, '--facts', '-', ...args], { stdin: line({ facts: { 'phone.score': 40 } }) });
    const { stdout: nearest } = await ask();
    expect(nearest.match(/ rule-\d+ /g)).toHaveLength(20);
    expect(nearest).toContain('  and 10 rules more, further away: --all shows them\n');
    const { stdout: all } = await ask('--all');
    expect(all.match(/ rule-\d+ /g)).toHaveLength(30);
  });

  it.each([
    ['{ "facts": { "phone.scor": 1 } }', /^verdict: standard input, line 1: no fact "phone\.scor" is declared/],
    ['', /^verdict: standard input is empty\n$/],
    ['nothing', /^verdict: standard input, line 1: the text is not JSON/],
    ['{\n"facts": {},\n"facts": {}\n}', /^verdict: standard input, line 1: the text has a duplicate name/],
  ])('cannot run on %s', async (stdin, expected) => {
    const { exitCode, stderr, stdout } = await explain(stdin);
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(stderr).toMatch(expected);
  });

  it('names the wrong argument', async () => {
    expect((await explain(line(APPLICANT), ['--line', '0'])).exitCode).toBe(2);
    expect((await explain(line(APPLICANT), ['--line', '9'])).stderr).toBe(
      'verdict: standard input has no facts in line 9\n',
    );
    expect((await explain(line(APPLICANT), ['--target', 'approve'])).exitCode).toBe(2);
    const missing = await runCli(['explain', 'rules/phone-only.yaml', '--facts', '/nowhere/at-all.ndjson']);
    expect(missing).toMatchObject({ exitCode: 3, stderr: 'verdict: /nowhere/at-all.ndjson: no such file\n' });
  });
});

/** The explanation of one decision as text, and as the page without its markup. */
async function bothOf(rules: string, applicant: object) {
  const policy = join(temporaryFolder({ 'policy.yaml': `${HEAD}${rules}` }), 'policy.yaml');
  const given = ['explain', policy, '--facts', '-', '--at', '2026-11-20'];
  const stdin = line(applicant);
  const page = (await pageOf(given, { stdin })).replace(/<style>.*<\/style>/s, '').replace(/<[^>]*>/g, '');
  return { text: (await runCli(given, { stdin })).stdout, page: page.replace(/\s+/g, ' ') };
}

describe('the text and the page', () => {
  it('state presence in words, without true or false and without repetition', async () => {
    const rules = `rules:
  - id: presence
    when:
      phone.porting.portedDate: { never: true }
      phone.score: { known: true }
      email.address.score: { known: false }
    then: review
  - id: opposite
    when: { not: { any: [{ email.address.score: { known: true } }, { phone.porting.portedDate: { never: false } }] } }
    then: review
  - { id: happened, when: { phone.porting.previousPort: { never: false } }, then: review }
`;
    const facts = { 'phone.porting.portedDate': 'never', 'phone.porting.previousPort': '2026-10-01', 'phone.score': 3 };
    const { text, page } = await bothOf(rules, { facts });
    expect(text).toContain(`
  PRESENCE: email.address.score is not known; phone.porting.portedDate never happened; phone.score is known: 3
    rule presence, review
`);
    expect(text).toContain(`
  OPPOSITE: email.address.score is not known; phone.porting.portedDate never happened
    rule opposite, review
`);
    expect(text).toContain('  HAPPENED: phone.porting.previousPort has happened: 2026-10-01, 50 days before\n');
    expect(page).toContain(
      'Email address score is not known; Number last ported never happened; Phone score is known: 3',
    );
    expect(page).toContain('Previous port has happened: 2026-10-01, 50 days before');
  });

  it.each(['12025550199', '12025550101'])('do not show whom the policy names, whoever applies (%s)', async (number) => {
    const rules = `lists: { friends: ["12025550103"] }
rules:
  - { id: one, when: { applicant.phoneNo: "12025550101" }, then: review }
  - { id: two, when: { applicant.phoneNo: { in: ["12025550101", "12025550102"] } }, then: review }
  - { id: others, when: { applicant.phoneNo: { notIn: ["12025550102", "12025550104"] } }, then: review }
  - { id: negated, when: { not: { applicant.email: { is: pat@mail.example } } }, then: review }
  - { id: start, when: { applicant.phoneNo: { startsWith: "120255501", endsWith: "0102" } }, then: review }
  - { id: pattern, when: { applicant.email: { matches: "^pat@mail" } }, then: review }
  - { id: place, when: { applicant.ip: 203.0.113.11 }, then: review }
  - { id: listed, when: { applicant.phoneNo: { inList: friends } }, then: review }
  - { id: domain, when: { applicant.emailDomain: 0-mail.com }, then: review }
  - { id: unknown, when: { applicant.phoneNo: "12025550102", phone.score: 3 }, then: review }
`;
    const facts = { 'applicant.phoneNo': number, 'applicant.email': 'd.marsh@copper-kettle.example' };
    const { text, page } = await bothOf(rules, { facts });
    for (const each of [text, page]) {
      expect(each).not.toMatch(/120255501|0102|pat@mail|d\.marsh|copper-kettle|203\.0\.113/);
      expect(each).toMatch(/(applicant.phoneNo|Phone number) is one of 2 listed/);
      expect(each).toMatch(/(applicant.phoneNo|Phone number) is none of 2 listed/);
      expect(each).toMatch(/(applicant.email|Email address) is not the listed value/);
      expect(each).toMatch(/(applicant.phoneNo|Phone number) is in the list friends/);
      // A domain of one's own says whose it is.
      expect(each).toMatch(/(applicant.emailDomain|Email domain) is the listed value/);
    }
  });

  it('of an explanation as JSON names no other person in what did not fire', async () => {
    const policy = `${HEAD}rules:
  - { id: two, when: { applicant.phoneNo: { in: ["12025550101", "12025550102"] } }, then: review }
  - { id: listed, when: { applicant.phoneNo: { inList: friends } }, then: review }
lists: { friends: ["12025550103"] }
`;
    const file = join(temporaryFolder({ 'policy.yaml': policy }), 'policy.yaml');
    const args = ['explain', file, '--facts', '-', '--at', '2026-11-20', '--json'];
    const { stdout } = await runCli(args, { stdin: line({ facts: { 'applicant.phoneNo': '12025550199' } }) });
    expect(JSON.parse(stdout).notFired).toMatchObject([
      { rule: 'two', stoppedBy: [{ operator: 'in', expected: { listed: 2 }, is: { hidden: true } }] },
      { rule: 'listed', stoppedBy: [{ operator: 'inList', expected: 'friends', is: { hidden: true } }] },
    ]);
    expect(stdout).not.toContain('1202555');
  });

  it('name the stricter band that a score may reach', async () => {
    const rules = `score: { review: 40, reject: 70 }
rules:
  - { id: one, when: { phone.score: { above: 1 } }, points: FEW }
  - { id: other, when: { email.address.score: { above: 1 } }, points: 30 }
`;
    const applicant = { facts: { 'phone.score': 3 }, missing: { 'email.address.score': 'notReturned' } };
    const low = await bothOf(rules.replace('FEW', '20'), applicant);
    expect(low.text).toContain('20 to 50 points, which may reach the band of review, depending on missing facts;');
    expect(low.page).toContain('20 to 50 points, which may reach the band of ◆ review, depending on missing facts;');
    const high = await bothOf(rules.replace('FEW', '45'), applicant);
    expect(high.page).toContain(
      '45 to 75 points, in the band of ◆ review, and may reach the band of ■ reject, depending',
    );
    const none = await bothOf(rules.replace('FEW', '5'), applicant);
    expect(none.page).toContain('5 to 35 points; review begins at 40,');
  });

  it('use the same words for the facts that settle the outcome', async () => {
    const rules = 'rules:\n  - { id: one, when: { phone.score: { above: 1 } }, then: review }\n';
    const { text, page } = await bothOf(rules, { facts: { 'phone.score': 3 } });
    expect(text).toContain(`Facts that settle the outcome
  This one fact settles the outcome.
  As long as it stays as it is, it is review, whatever all other facts are.
  fact         is
  phone.score  3
`);
    expect(page).toContain(
      'This one fact settles the outcome.As long as it stays as it is, it is ◆ review, whatever all other facts are.',
    );
    const open = 'rules:\n  - { id: one, when: { phone.score: { known: true } }, then: accept }\n';
    expect((await bothOf(open, { facts: {} })).text).toContain(
      'No fact has to be known.\n  It is accept whatever the facts are.\n',
    );
  });
});

describe('what a person reads', () => {
  const policy = `policy: words
version: "1"
default: review
defaultNotice: We look into your application.
score: { review: 20 }
rules:
  - id: one
    when: { phone.type: voip, not: { phone.status: inactive } }
    then: review
    points: 15
    notice: { en: Please give us another number., de: Bitte eine andere Nummer. }
  - { id: two, when: { phone.score: { above: 50 } }, points: 10, notice: Not for the applicant. }
  - { id: less, when: { phone.riskLevel: low }, points: -5 }
  - { id: same, when: { phone.type: voip }, then: review, notice: { en: Please give us another number. } }
  - { id: nothing, when: { phone.riskLevel: high }, then: reject, points: 0 }
  - { id: strict, when: { phone.score: { above: 60 } }, then: reject, mode: shadow }
  - { id: mild, when: { phone.score: { above: 60 } }, then: review, mode: shadow }
`;
  const file = () => join(temporaryFolder({ 'policy.yaml': policy }), 'policy.yaml');
  const read = (facts: object, ...args: string[]) =>
    runCli(['explain', file(), '--facts', '-', '--at', '2026-11-20', ...args], { stdin: line({ facts }) });
  const known = { 'phone.type': 'voip', 'phone.status': 'active', 'phone.score': 70, 'phone.riskLevel': 'low' };

  it('are statements, sums and notices', async () => {
    const { stdout } = await read(known);
    expect(stdout).toContain(`
  SCORE: The score is 20 points, in the band of review; review begins at 20.
    - 20 = 15 one + 10 two − 5 less
`);
    expect(stdout).toContain('  ONE: phone.status is not inactive: active; phone.type is voip\n');
    expect(stdout).toContain(`
The applicant may be told
  de: Bitte eine andere Nummer.
  en: Please give us another number.
    rule one
  en: Please give us another number.
    rule same

`);
    expect(stdout).not.toContain('Not for the applicant');
    expect(stdout).toMatch(/^ {2}nothing +reject +phone\.riskLevel is high/m);
    expect(stdout).toContain(`Shadow rules, without effect
  strict fires; were it live, the outcome would be reject
  mild fires; were it live, the outcome would still be review
`);
    const one = await read(known, '--rule', 'strict');
    expect(one.stdout).toBe(
      'Shadow rules, without effect\n  strict fires; were it live, the outcome would be reject\n',
    );
  });

  it('are the default in words, and its notice', async () => {
    const { stdout } = await read({ ...known, 'phone.type': 'mobile', 'phone.score': 10 });
    expect(stdout).toContain(
      "  DEFAULT: No rule that fired asks for an outcome, nor does the score: the policy's default is review.\n",
    );
    expect(stdout).toContain('The applicant may be told\n  We look into your application.\n    DEFAULT\n');
  });

  it('stays the same beside a page', async () => {
    const page = join(temporaryFolder({}), 'page.html');
    for (const args of [[], ['--json'], ['--rule', 'strict']]) {
      expect(await read(known, ...args, '--html', page)).toEqual(await read(known, ...args));
      expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>/);
      rmSync(page);
    }
    const who = ['decide', '--sandbox', '--phone', '12025550101', '--at', '2026-11-20', '--reference', 'ONB-1'];
    for (const args of [[], ['--explain'], ['--json', '--with-facts']]) {
      const given = await runCli([...who, ...args, '--html', page]);
      const ids = /"id":"[^"]*"/;
      expect(given.stdout.replace(ids, '')).toBe((await runCli([...who, ...args])).stdout.replace(ids, ''));
      expect(readFileSync(page, 'utf8')).toContain('What would lead to accept');
      rmSync(page);
    }
  });
});

describe('verdict decide --explain', () => {
  const risky = PERSONAS.find(({ name }) => name === 'ported-risky-email');
  const WHO = ['--phone', `+${risky?.phoneNo}`, '--email', risky?.email ?? '', '--ip', risky?.ip ?? ''];
  const decide = (...args: string[]) => runCli(['decide', '--sandbox', '--at', '2026-11-20', ...args]);

  it('says a failed source as one thing, and what it would change', async () => {
    const down = PERSONAS.find(({ name }) => name === 'source-down');
    const who = ['--phone', `+${down?.phoneNo}`, '--email', down?.email ?? '', '--ip', down?.ip ?? ''];
    const section = `What was not known
  The email source did not answer.
  Ask again: if it answers as for a clean address, accept; another answer may lead to review or reject.
  fact `;
    const row = /\n {2}the email source: email\.domain\.firstSeen, .* its source did not answer +email-disp.*,\n/;
    const short = await decide(...who);
    expect(short.stdout).toContain(section);
    expect(short.stdout).toMatch(row);
    const { stdout } = await decide(...who, '--explain');
    expect(stdout).toContain(section);
    expect(stdout).toContain('This change leads to accept. It was decided again with its examples.');
    expect(stdout).toMatch(
      /the answer of the email source +did not answer +would have to come +can be requested again\n/,
    );
    expect(stdout).toMatch(/ {2}with email\.domain\.type +anything but disposable +free\n/);
    expect(stdout).not.toMatch(/^ {2}with email\.address\.firstSeen {2}/m);
  });

  it('explains the decision with the facts of the run', async () => {
    const { exitCode, stdout, stderr } = await decide(...WHO, '--reference', 'ONB-1', '--explain');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^REVIEW {2}ONB-1, 2026-11-20T00:00:00\.000Z, policy onboarding /);
    expect(stdout).toMatch(
      / {2}PORTED_AND_RISKY_EMAIL: Number ported .*\n {4}rule port-and-email, review, \+15 points\n/,
    );
    expect(stdout).toMatch(/phone-risk-high +review \+20 +phone\.riskLevel is at least high +medium +1 level/);
    expect(stdout).toMatch(/What would lead to accept\n {2}Any one of these changes leads to accept: 2 facts/);
    for (const secret of [risky?.phoneNo, risky?.email, risky?.ip]) expect(stdout).not.toContain(secret);
  });

  it('prints the decision with its explanation as JSON, and warnings as notes of the text', async () => {
    const { stdout } = await decide('--phone', `+${risky?.phoneNo}`, '--explain', 'reject', '--json');
    const { id, outcome, signals, explanation } = JSON.parse(stdout);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(explanation).toMatchObject({ outcome, day: '2026-11-20', changes: { to: 'reject' } });
    const { stdout: text } = await decide('--phone', `+${risky?.phoneNo}`, '--explain');
    expect(text).toMatch(new RegExp(`Note\\n {2}${signals.warnings[0].text}\n`));
  });

  it('names --json for the rules that are left out, because there is no --all', async () => {
    const { stdout } = await decide(...WHO, '--reference', 'ONB-1', '--explain');
    expect(stdout).toContain(' rules more, further away: --json shows them\n');
  });
});
