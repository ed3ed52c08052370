/** What was edited between two policies, in sentences. */

import { describe, expect, it } from 'vitest';
import { describeEdits } from '../../../../src/lab/diff/edits/describe-edits.ts';
import type { PolicyEdit } from '../../../../src/lab/diff/edits/edit.ts';
import { loadPolicyText } from '../../../../src/policy/read/parse.ts';
import { HEAD } from '../../../support/policy/policy.ts';

const FILES = {
  'countries.txt': 'GB\nIE\nKP\n',
  'set.yaml': `
parameters: { least: 80, blocked: 447700900123 }
conditions: { risky: { email.address.riskLevel: { atLeast: high } } }
rules:
  - { id: scored, when: { phone.score: { atLeast: $least } }, then: review, message: "From {$least}." }
`,
};

const POLICY = `
policy: test
version: "1"
default: accept
facts:
  context.age: { type: integer }
  context.twice: { type: integer, compute: { product: [context.age, 2] } }
lists: { countries: { file: countries.txt }, emails: [ada@one.example, bo@two.example] }
score: { review: 40 }
ruleSets: [set.yaml]
rules:
  - { id: ported, when: { phone.porting.portedDate: { withinLast: 30 days }, phone.valid: true }, then: review, points: 5 }
  - { id: either, when: { any: [risky, { phone.type: [voip, pager] }] }, then: reject, reason: EITHER }
  - { id: listed, when: { phone.country: { inList: countries } }, then: review, notice: "We call you." }
  - { id: named, when: { any: [{ applicant.email: { inList: emails } }, { applicant.email: { is: cy@one.example } }] }, then: reject }
  - { id: young, when: { context.age: { below: 18 } }, then: reject, final: true }
guarantees: [{ id: children, atLeast: review, when: { context.age: { below: 18 } } }]
tables:
  - id: limits
    columns: [phone.type, email.address.score, then]
    tags: [limit]
    rows:
      - [voip, { atLeast: 50 }, review]
      - [pager, { atLeast: 60 }, review]
      - [mobile, { atLeast: 70 }, reject]
`;

/** What is found of an edit: what is written in the policy or a file, and what is written now. */
function editsOf(was: string, is: string): readonly PolicyEdit[] {
  const [old, now] = [was, is].map((text) => {
    const { 'policy.yaml': policy = '', ...files } = edited(was, text);
    return loadPolicyText(policy, { files });
  });
  return old && now ? describeEdits(old, now) : [];
}

/** All files, with another text in one of them. */
function edited(was: string, is: string): Readonly<Record<string, string>> {
  const files = Object.entries({ 'policy.yaml': POLICY, ...FILES });
  return Object.fromEntries(files.map(([name, text]) => [name, text.replace(was, () => is)]));
}

function sentencesOf(was: string, is: string): readonly string[] {
  return editsOf(was, is).map(({ text }) => text);
}

/** Of a name that is written otherwise in all files. */
function sentencesOfAll(was: string, is: string): readonly string[] {
  const [old, now] = [was, is].map((name) => {
    const replaced = (text: string) => text.replaceAll(new RegExp(`\\b${was}\\b(?!\\.)`, 'g'), name);
    const files = Object.entries(FILES).map(([file, text]) => [file, replaced(text)]);
    return loadPolicyText(replaced(POLICY), { files: Object.fromEntries(files) });
  });
  return old && now ? describeEdits(old, now).map(({ text }) => text) : [];
}

describe('an edit is said', () => {
  it.each([
    [
      'of a limit',
      'withinLast: 30 days',
      'withinLast: 21 days',
      'rule ported: phone.porting.portedDate withinLast 30 days is now 21 days',
    ],
    [
      'of an operator',
      'withinLast: 30 days',
      'olderThan: 30 days',
      'rule ported: phone.porting.portedDate withinLast 30 days is now olderThan 30 days',
    ],
    ['of a value', 'phone.valid: true', 'phone.valid: false', 'rule ported: phone.valid true is now false'],
    [
      'of several values',
      '[voip, pager]',
      '[pager, tollFree]',
      'rule either: phone.type in now has tollFree, and no longer has voip',
    ],
    [
      'of a test that is new',
      'phone.valid: true }',
      'phone.valid: true, phone.status: active }',
      'rule ported: now also asks that phone.status is active',
    ],
    ['of a test that is gone', ', phone.valid: true', '', 'rule ported: no longer asks that phone.valid is true'],
    [
      'of an alternative that is new',
      'any: [risky',
      'any: [{ phone.valid: false }, risky',
      'rule either: now also true if phone.valid is false',
    ],
    ['of a name that is gone', 'any: [risky, ', 'any: [', 'rule either: no longer true if risky'],
    ['of another condition', '{ context.age: { below: 18 } }', 'risky', 'rule young: the condition is now: risky'],
    ['of a personal value', 'is: cy@', 'is: di@', 'rule named: applicant.email is: other values (not shown)'],
    ['of an outcome', 'then: review, points', 'then: reject, points', 'rule ported: outcome review is now reject'],
    ['of an outcome that is gone', 'then: review, points', 'points', 'rule ported: outcome review is removed'],
    ['of points', 'points: 5', 'points: 15', 'rule ported: 5 points are now 15'],
    ['of final', ', final: true', '', 'rule young: no longer final'],
    ['of whenUnknown', 'points: 5', 'points: 5, whenUnknown: ignore', 'rule ported: whenUnknown review is now ignore'],
    ['of a shadow rule', 'points: 5', 'points: 5, mode: shadow', 'rule ported: now in shadow mode, without effect'],
    ['of a first day', 'points: 5', 'points: 5, from: 2026-12-01', 'rule ported: from 2026-12-01 is new'],
    ['of a reason', 'reason: EITHER', 'reason: ANY', 'rule either: reason EITHER is now ANY'],
    [
      'of a notice',
      '"We call you."',
      '{ en: "We call you.", de: "Wir rufen an." }',
      'rule listed: notice "We call you." is now de: "Wir rufen an.", en: "We call you."',
    ],
    [
      'of a message',
      '"From {$least}."',
      '"{phone.score} or more."',
      'rule scored: message "From 80." is now "{phone.score} or more."',
    ],
    [
      'of a rule that is gone',
      '  - { id: young, when: { context.age: { below: 18 } }, then: reject, final: true }\n',
      '',
      'rule young is removed: reject, final if context.age is below 18',
    ],
    [
      'of a named condition',
      'atLeast: high',
      'atLeast: veryHigh',
      'condition risky: email.address.riskLevel atLeast high is now veryHigh',
    ],
    ['of a parameter', 'least: 80', 'least: 85', 'parameter least 80 is now 85 (in rule scored)'],
    [
      'of a text that nothing uses',
      'blocked: 447700900123',
      'blocked: "other"',
      'parameter blocked has another value (not shown)',
    ],
    ['of an entry that is new', 'IE\n', 'IE\nSE\n', 'list countries: entry SE is new'],
    ['of entries that are gone', 'GB\nIE\n', '', 'list countries: 2 entries are removed, such as GB'],
    [
      'of the last day of an entry',
      'KP\n',
      'KP until 2026-12-31\n',
      'list countries: entry KP without a last day is now until 2026-12-31',
    ],
    ['of personal entries', 'ada@one.example, ', '', 'list emails: 1 entry is removed (not shown)'],
    ['of a row', 'atLeast: 60', 'atLeast: 65', 'row 2 of table limits: email.address.score atLeast 60 is now 65'],
    [
      'of a row that is new',
      '    rows:\n',
      '    rows:\n      - [other, any, review]\n',
      'row 1 of table limits is new: review if phone.type is other',
    ],
    ['of a table', 'id: limits', 'id: limits\n    final: true', 'table limits: now final'],
    ['of the tags of a table', '    tags: [limit]\n', '', 'table limits: tags limit is removed'],
    ['of a fact', 'type: integer }', 'type: number }', 'fact context.age: type integer is now number'],
    [
      'of a computed fact',
      'product: [context.age, 2]',
      'sum: [context.age, 3]',
      'fact context.twice: compute product of context.age, 2 is now sum of context.age, 3',
    ],
    [
      'of a guarantee',
      'atLeast: review, when',
      'never: accept, when',
      'guarantee children: at least review is now never accept',
    ],
    [
      'of the description of a guarantee',
      'guarantees: [{ id: children,',
      'guarantees: [{ id: children, description: No child alone.,',
      'guarantee children: description edited',
    ],
    [
      'of a guarantee that is gone',
      'guarantees: [{ id: children, atLeast: review, when: { context.age: { below: 18 } } }]\n',
      '',
      'guarantee children is removed: at least review if context.age is below 18',
    ],
    ['of the default', 'default: accept', 'default: review', 'default accept is now review'],
    ['of all rules', 'default: accept', 'default: accept\nwhenUnknown: ignore', 'whenUnknown review is now ignore'],
    ['of a band', '{ review: 40 }', '{ review: 45 }', 'score.review 40 is now 45'],
    ['of a band that is new', '{ review: 40 }', '{ review: 40, reject: 90 }', 'score.reject 90 is new'],
    [
      'of the calls',
      'default: accept',
      'default: accept\nstages: [[phoneNo], [phoneNo, email]]',
      'stages phoneNo, then phoneNo + email is new',
    ],
    ['of the version', '"1"', '"2"', 'version 1 is now 2'],
  ])('%s', (_, was, is, sentence) => {
    const [edit, ...more] = editsOf(was, is);
    expect([edit?.text, more]).toEqual([sentence, []]);
    // Its place is the edited line: of the new files, or of the old ones for what is gone.
    const text = edit?.kind === 'removed' ? was : is;
    const lines = edited(was, text)[edit?.place?.file ?? '']?.split('\n');
    const line = lines?.[(edit?.place?.line ?? 0) - 1]?.trim() ?? 'no line';
    expect(line.includes(text) || text.includes(line), line).toBe(true);
  });

  it('of a rule that has another name, with its reason', () => {
    expect(sentencesOf('id: ported', 'id: moved')).toEqual([
      'rule ported is now called moved, and its reason PORTED is now MOVED; reports by the old id or reason miss it',
    ]);
  });

  it.each([
    ['of a condition', 'risky', 'riskyMail', ['condition risky is now called riskyMail']],
    ['of a list', 'countries', 'lands', ['list countries is now called lands']],
    ['of a parameter', 'least', 'lowest', ['parameter least is now called lowest']],
  ])('%s that has another name, once for all that refer to it', (_, was, is, expected) => {
    expect(sentencesOfAll(was, is)).toEqual(expected);
  });

  it('of another name beside other edits, where the name is not asked for', () => {
    const text = POLICY.replace('any: [risky, {', 'any: [risky, { phone.valid: false }, {');
    const [old, now] = [POLICY, text].map((each) => loadPolicyText(each, { files: FILES }));
    const renamed = loadPolicyText(text.replace('[risky', '[riskyMail'), {
      files: { ...FILES, 'set.yaml': FILES['set.yaml'].replace('risky', 'riskyMail') },
    });
    const sentences = (from = old, to = now) => (from && to ? describeEdits(from, to).map((edit) => edit.text) : []);
    expect(sentences(old, renamed)).toEqual([...sentences(), 'condition risky is now called riskyMail']);
  });

  it('of something new that says what another one says that stays', () => {
    expect(sentencesOf('lists: {', 'lists: { others: [ada@one.example, bo@two.example],')).toEqual([
      'list others is new: 2 entries',
    ]);
  });

  it('without the personal value that a velocity counts', () => {
    const counting = (name: string) => {
      const velocity = `velocity: { known: { count: applications, by: ip, where: { context.name: ${name} }, within: 1 day } }`;
      return `${HEAD}facts: { context.name: { type: string, personal: true } }\n${velocity}
rules: [{ id: a, when: { velocity.known: { atLeast: 2 } }, then: review }]\n`;
    };
    const [edit] = describeEdits(loadPolicyText(counting('ada')), loadPolicyText(counting('bo')));
    const words = 'applications by ip where context.name is (not shown) within 1 day';
    expect(edit?.text).toBe(`fact velocity.known: velocity ${words} is now ${words}`);
  });

  it('not of comments, order, or a condition that is written otherwise', () => {
    expect(sentencesOf('rules:\n', 'rules: # a comment\n')).toEqual([]);
    expect(sentencesOf('[voip, pager]', '[pager, voip]')).toEqual([]);
    expect(
      sentencesOf('any: [risky, { phone.type: [voip, pager] }]', 'any: [{ phone.type: { in: [voip, pager] } }, risky]'),
    ).toEqual([]);
    const lines = POLICY.split('\n');
    const [first, second] = lines.filter((line) => /id: (either|listed)/.test(line)) as [string, string];
    expect(sentencesOf(`${first}\n${second}`, `${second}\n${first}`)).toEqual([]);
  });

  it('with its path; without a place where a value was set from outside', () => {
    expect(editsOf('age: { below: 18 } }, then', 'age: { below: 21 } }, then')).toMatchObject([
      { kind: 'changed', path: ['rules', 'young', 'when'] },
    ]);
    const rule = '{ id: scored, when: { phone.score: { atLeast: $least } }, then: review }';
    const text = `${HEAD}parameters: { least: 80 }\nrules: [${rule}]\n`;
    const [old, now] = [loadPolicyText(text), loadPolicyText(text, { parameters: { least: 85 } })];
    const [edit] = describeEdits(old, now);
    expect(edit).toEqual({
      kind: 'changed',
      path: ['parameters', 'least'],
      text: 'parameter least 80 is now 85 (in rule scored)',
    });
    expect(describeEdits(now, old)[0]?.place).toMatchObject({ line: 4 });
  });
});
