/** `checkFiles` on a rule set, list or table that is named alone: in the policies above it, or by itself. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatDiagnosticLine } from '../../../src/diagnostics.ts';
import { checkFiles } from '../../../src/policy/check/check-files.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const LIVE = 'rules:\n  - { id: live, when: { phone.type: voip }, then: review }\n';
const SET = `conditions:
  young: { email.address.firstSeen: { withinLast: 30 days } }
rules:
  - { id: set, when: { phone.typ: voip }, then: reviw }
`;

/** A project whose policies include `sets/phone.yaml`. */
const project = (set: string, others: Readonly<Record<string, string>> = {}) =>
  temporaryFolder({
    'package.json': '{}',
    'rules/policy.yaml': `${HEAD}ruleSets: [sets/phone.yaml]\n${LIVE}`,
    'rules/sets/phone.yaml': set,
    ...others,
  });

/** The problems of these files, and the policies in which they were checked; names are relative to the folder. */
function check(folder: string, ...paths: readonly string[]) {
  const { diagnostics, files, within } = checkFiles(paths.map((path) => join(folder, path)));
  const local = (text: string) => text.replaceAll(`${folder}/`, '');
  return { lines: diagnostics.map((each) => local(formatDiagnosticLine(each))), files, within: within.map(local) };
}

describe('a rule set that is named alone', () => {
  it('is checked in the policies above it, and only its problems are reported', () => {
    const folder = project(SET.replace('phone.typ:', 'phone.type:').replace('reviw', 'review'), {
      'rules/strict.yaml': `${HEAD}ruleSets: [sets/phone.yaml]\nlists: { unused: [a] }\n${LIVE}`,
      'rules/other.yaml': `${HEAD}rules: 1\n`,
    });
    expect(check(folder, 'rules/sets/phone.yaml')).toEqual({
      lines: [
        expect.stringContaining('rules/sets/phone.yaml:2:3: warning[unused-condition]'),
        expect.stringContaining('rules/sets/phone.yaml:4:11: warning[same-condition]'),
      ],
      files: 1,
      within: ['rules/policy.yaml', 'rules/strict.yaml'],
    });
  });

  it('is found from its own folder too', () => {
    const folder = project(SET);
    const before = process.cwd();
    process.chdir(join(folder, 'rules/sets'));
    try {
      expect(checkFiles(['phone.yaml'])).toMatchObject({ within: ['../policy.yaml'], diagnostics: [{}, {}] });
    } finally {
      process.chdir(before);
    }
  });

  it('has its errors reported', () => {
    const { lines, within } = check(project(SET), 'rules/sets/phone.yaml');
    expect(lines).toEqual([
      'rules/sets/phone.yaml:4:24: error[unknown-fact]: there is no fact "phone.typ"',
      expect.stringContaining('rules/sets/phone.yaml:4:49: error[wrong-value]'),
    ]);
    expect(within).toEqual(['rules/policy.yaml']);
  });

  it('keeps a name that only one of several policies uses', () => {
    const folder = project('conditions:\n  young: { phone.type: voip }\n', {
      'rules/user.yaml': `${HEAD}ruleSets: [sets/phone.yaml]\nrules: [{ id: a, when: young, then: review }]\n`,
    });
    expect(check(folder, 'rules/sets/phone.yaml').lines).toEqual([]);
  });

  it('comes with the errors that keep the policy above it from being checked', () => {
    const folder = project(LIVE.replace('live', 'set'), {
      'rules/policy.yaml': `${HEAD}ruleSets: [sets/phone.yaml]\nrules: 1\n`,
    });
    const { lines } = check(folder, 'rules/sets/phone.yaml');
    expect(lines).toEqual([expect.stringContaining('rules/policy.yaml:5:8: error[wrong-type]')]);
  });

  it('is checked with the match results that a mapping beside the policy declares', () => {
    const mapping = 'signals: {}\nfacts:\n  identity.nameMatch: { type: boolean, description: Same name }\n';
    const rule = 'rules: [{ id: a, when: { identity.nameMatch: false }, then: review }]\n';
    const folder = project(rule, { 'rules/map.yaml': mapping });
    expect(check(folder, 'rules/sets/phone.yaml').lines).toEqual([]);
  });
});

it('a list and a table that are named alone are checked in the policies above them', () => {
  const set = `lists: { blocked: { file: blocked.txt } }
rules: [{ id: a, when: { applicant.emailDomain: { inDomainList: blocked } }, then: review }]
tables: [{ id: t, rows: { file: t.csv } }]\n`;
  const others = { 'rules/sets/blocked.txt': '@spam.example\n', 'rules/sets/t.csv': 'phone.type,then\nvoip,reviw\n' };
  const folder = project(set, others);
  const list = check(folder, 'rules/sets/blocked.txt');
  expect(list.lines).toContainEqual(expect.stringContaining('rules/sets/blocked.txt:1:1: error[wrong-format]'));
  expect(check(folder, 'rules/sets/t.csv').lines).toContainEqual(
    expect.stringContaining('rules/sets/t.csv:2:6: error[wrong-value]'),
  );
});

describe('a rule set that no policy includes', () => {
  const alone = (set: string) => {
    const folder = project(set, { 'rules/policy.yaml': HEAD + LIVE });
    return check(folder, 'rules/sets/phone.yaml').lines;
  };
  const UNUSED = 'warning[unused-file]: no policy includes this rule set';

  it('is checked by itself', () => {
    expect(alone(SET)).toEqual([
      expect.stringContaining(UNUSED),
      expect.stringContaining('rules/sets/phone.yaml:4:24: error[unknown-fact]'),
      expect.stringContaining('rules/sets/phone.yaml:4:49: error[wrong-value]'),
    ]);
  });

  it('has no problem of what only the policy knows, and the message lists it', () => {
    const [unused, ...others] = alone(`conditions:
  young: { email.address.firstSeen: { withinLast: 30 days } }
rules:
  - { id: a, when: { context.channel: web }, then: review, points: 5 }
  - { id: b, when: recentlyPorted, then: review }
  - { id: c, when: { applicant.email: { inList: blocked } }, then: review, message: "{$limit}" }
  - { id: d, when: { all: [{ phone.score: { above: 50 } }, { phone.score: { below: 50 } }] }, then: review }
`);
    expect(unused).toContain('names that it does not declare: context.channel, recentlyPorted, blocked, limit');
    expect(others).toEqual([expect.stringContaining('rules/sets/phone.yaml:7:84: warning[never-true]')]);
  });

  it('may name files beside its folder, and its parameters may have other values', () => {
    const folder = project(
      `parameters: { low: 1, high: 0 }
lists: { blocked: { file: ../lists/blocked.txt } }
rules:
  - { id: a, when: { applicant.email: { inList: blocked } }, then: review }
  - { id: b, when: { phone.score: { above: $low, below: $high } }, then: review }\n`,
      { 'rules/policy.yaml': HEAD + LIVE, 'rules/lists/blocked.txt': 'ann@mail.example\n' },
    );
    expect(check(folder, 'rules/sets/phone.yaml').lines).toEqual([expect.stringContaining(UNUSED)]);
  });
});
