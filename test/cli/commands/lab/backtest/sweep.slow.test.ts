/** `verdict backtest --sweep`: each line is that of a policy that somebody edited by hand. */

import { describe, expect, it } from 'vitest';
import { createDecider } from '../../../../../src/decision/decide.ts';
import type { Flow } from '../../../../../src/lab/backtest/applicants.ts';
import { localVerifier, logFolder, personOf } from '../../../../support/audit/decisions.ts';
import { LINES, backtestProject as project } from '../../../../support/cli/backtest-project.ts';
import { HEAD, policyOf } from '../../../../support/policy/policy.ts';

const SCORED = `policy: onboarding
version: "1"
default: accept
parameters: { risky: 80 }
score: { review: { atLeast: 10 }, reject: 30 }
facts:
  context.limit: { type: number }
  context.sum: { type: number, compute: { sum: [context.limit, $risky] } }
conditions:
  named: { phone.score: { atMost: 60 } }
rules:
  - { id: risky-score, when: { phone.score: { atLeast: $risky } }, points: 20, whenUnknown: ignore }
  - id: some
    when: { any: [{ phone.score: { above: 95 } }, { not: { phone.score: { below: 40 }, phone.country: US } }] }
    points: 15
  - { id: sum, when: { context.sum: { above: 75 } }, points: 5, whenUnknown: ignore }
  - { id: by-name, when: named, then: accept }
  - { id: twice, when: { any: [{ phone.score: { below: 2 } }, { phone.score: { below: 1 } }] }, points: 1 }
ruleSets: [more.yaml]
`;
const MORE = 'rules: [{ id: porting, when: { phone.score: { atMost: 10 } }, points: 10 }]\n';

/** With a fact of which a computed one depends. */
const WITH_LIMITS = LINES.map((line, i) => {
  const decision = JSON.stringify({ outcome: i % 5 === 0 ? 'reject' : 'accept' });
  return line.replace('{"facts":{', `{"decision":${decision},"facts":{"context.limit":${i - 70},`);
});
const FILES = { 'new.yaml': SCORED, 'more.yaml': MORE, 'facts.ndjson': WITH_LIMITS.join('\n') };

describe('a sweep', () => {
  it.each([
    ['risky=60..80/10', ['60', '70', '80'], 'risky: 80 ', 'risky: VALUE '],
    ['score.review=5..20/5', ['5', '10', '15', '20'], 'atLeast: 10 }', 'atLeast: VALUE }'],
    ['score.reject=20..40/10', ['20', '30', '40'], 'reject: 30', 'reject: VALUE'],
    ['some:phone.score.below=20..60/20', ['20', '40', '60'], 'below: 40', 'below: VALUE'],
    ['porting:phone.score=8.5..9.5/0.5', ['8.5', '9.0', '9.5'], 'atMost: 10', 'atMost: VALUE'],
  ])('of %s equals single runs of an edited policy', async (sweep, values, written, edited) => {
    const edit = (text: string, value: string) => text.replace(written, edited.replace('VALUE', value));
    const labels = ['--labels', 'fraud.csv', '--mature', '20 days'];
    const swept = project(FILES);
    const { sweep: runs, ...first } = await swept.data('--sweep', sweep, ...labels);
    expect(first).toEqual(await swept.data(...labels));
    const { stdout } = await swept.run('--facts', 'facts.ndjson', '--sweep', sweep);
    const rows: { readonly value: string; readonly outcomes: object; readonly labels: object }[] = [];
    for (const value of values) {
      const { data } = project({
        ...FILES,
        ...{ 'new.yaml': edit(SCORED, value), 'more.yaml': edit(MORE, value) },
        ...{ 'old.yaml': SCORED.replace('more.yaml', 'base.yaml'), 'base.yaml': MORE },
      });
      const { outcomes, labels: counted, flows } = await data('--against', 'old.yaml', ...labels);
      rows.push({ value, outcomes, labels: counted });
      const changed = flows.reduce((n: number, each: Flow) => n + (each.from === each.to ? 0 : each.applicants), 0);
      expect(stdout).toMatch(new RegExp(`^  ${value} .* ${changed}$`, 'm'));
    }
    expect(runs).toEqual(rows);
    expect(new Set(rows.map(({ outcomes }) => JSON.stringify(outcomes))).size).toBeGreaterThan(1);
  });

  it('decides on record by each value what is certain by it', async () => {
    const folder = await logFolder();
    const log = await folder.open({});
    const recorded = policyOf(`${HEAD}rules: [{ id: r, when: { phone.score: { atLeast: 99 } }, then: review }]\n`);
    const decider = createDecider({ policy: recorded, verify: localVerifier, audit: log });
    for (let i = 0; i < 8; i++) await decider.decide(personOf(i));
    await log.close();
    // The age is not on record: whoever is not rejected for good by the phone depends on it.
    const text = `${HEAD}parameters: { risky: 5 }
facts: { context.age: { type: number } }
rules:
  - { id: risky, when: { phone.score: { atLeast: $risky } }, then: reject, final: true, whenUnknown: ignore }
  - { id: age, when: { context.age: { below: 18 } }, then: review, whenUnknown: ignore }
`;
    const args = ['--log', folder.place.dir, '--keys', folder.place.keys, '--json'];
    const { stdout } = await project({ 'new.yaml': text }).run(...args, '--sweep', 'risky=10..90/40');
    const { sweep } = JSON.parse(stdout);
    const singles = ['10', '50', '90'].map(async (value) => {
      const { run } = project({ 'old.yaml': text, 'new.yaml': text.replace('risky: 5 ', `risky: ${value} `) });
      return { value, outcomes: JSON.parse((await run(...args, '--against', 'old.yaml')).stdout).outcomes };
    });
    expect(sweep).toEqual(await Promise.all(singles));
    expect(new Set(sweep.map((each: object) => JSON.stringify({ ...each, value: '' }))).size).toBeGreaterThan(1);
  });

  it.each([
    ['some:phone.score', 'some has 2 tests of phone.score; write some:phone.score.above or some:phone.score.below'],
    ['some:phone.score.atMost', 'some has 2 tests of phone.score; write some:phone.score.above or'],
    ['twice:phone.score', 'twice has 2 tests of phone.score; make the number a parameter of the policy'],
    ['by-name:phone.score', 'by-name tests phone.score elsewhere; make the number a parameter of the policy'],
    ['risky-score:phone.score', 'risky-score:phone.score is the parameter risky'],
    ['some:phone.country', 'some:phone.country is not compared with a number'],
    ['some:phone.scor', 'some has no test of phone.scor; did you mean "phone.score"?'],
    ['som:phone.score', 'the policy has no rule som; did you mean "some"?'],
    ['score.accept', 'expected a parameter, score.review, score.reject or rule:fact in place of score.accept'],
  ])('of %s is refused', async (of, message) => {
    const { exitCode, stdout, stderr } = await project(FILES).run('--facts', 'facts.ndjson', '--sweep', `${of}=1..3/1`);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`--sweep: ${message}`);
  });

  it('of a band that a value makes wrong says which value, and counts nothing', async () => {
    const { run } = project(FILES);
    const { exitCode, stdout, stderr } = await run('--facts', 'facts.ndjson', '--sweep', 'score.review=20..30/10');
    expect([exitCode, stdout]).toEqual([3, '']);
    expect(stderr).toContain('--sweep score.review=30');
    expect(stderr).toContain('the review band must be below the reject band');
    expect((await project().run('--facts', 'facts.ndjson', '--sweep', 'score.review=20..30/10')).stderr).toContain(
      'the policy has no score.review',
    );
  });
});
