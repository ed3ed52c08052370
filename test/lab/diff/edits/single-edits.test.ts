/** Each edit between two policies by itself: as if it had been made, or taken back, by hand. */

import { describe, expect, it } from 'vitest';
import { type SingleEdit, singleEdits } from '../../../../src/lab/diff/edits/single-edits.ts';
import { isNamedList } from '../../../../src/policy/arguments.ts';
import { type Policy, type Test, testsOf } from '../../../../src/policy/language.ts';
import { loadPolicyText } from '../../../../src/policy/read/parse.ts';
import { EDITED, type Edited, policyWith } from '../../../support/lab/edited-policy.ts';
import { HEAD } from '../../../support/policy/policy.ts';

const nameOf = ({ kind, name }: SingleEdit) => `${kind} ${name}`;

/** What decides: the rules, whatever their order and their texts for people, and what is made of them. */
function decidingParts({ rules, facts, score, default: byDefault, timeZone }: Policy) {
  const own = [...facts].filter(([path]) => /^(context|velocity)\./.test(path));
  const sorted = rules.map(({ message: _, description: __, owner: ___, ...rule }) => rule);
  return { rules: sorted.sort((one, other) => (one.id < other.id ? -1 : 1)), own, score, byDefault, timeZone };
}

describe('each edit of a policy', () => {
  const [old, now] = [policyWith(() => false), policyWith(() => true)];
  const edits = singleEdits(old, now);

  it('is one of what differs and can change a decision', () => {
    expect(edits.map(nameOf).sort()).toEqual(EDITED.toSorted());
  });

  it.each(EDITED)('%s: alone, and taken back, as by hand', (name) => {
    const edit = edits.find((each) => nameOf(each) === name);
    const [alone, without] = [policyWith((each) => each === name), policyWith((each) => each !== name)];
    expect(decidingParts(edit?.alone() as Policy)).toEqual(decidingParts(alone));
    expect(decidingParts(edit?.without() as Policy)).toEqual(decidingParts(without));
    expect(decidingParts(alone)).not.toEqual(decidingParts(old));
  });

  it('is said as in the list of edits, once for each thing that is edited of it', () => {
    const textsOf = (name: Edited) => edits.find((each) => nameOf(each) === name)?.texts;
    expect(textsOf('rule changed')).toEqual(['rule changed: 15 points are now 20']);
    expect(textsOf('list blocked')).toHaveLength(2);
    expect(textsOf('table limits')).toHaveLength(2);
  });
});

/** The edits between two policies with these rules and keys, by name. */
function editsBetween(was: string, is: string): ReadonlyMap<string, SingleEdit> {
  return new Map(
    singleEdits(loadPolicyText(HEAD + was), loadPolicyText(HEAD + is)).map((edit) => [nameOf(edit), edit]),
  );
}

describe('edits that depend on each other', () => {
  const channels = (values: string, rules = '') =>
    `facts: { context.channel: { type: enum, values: [${values}] } }\nrules:\n` +
    `  - { id: quiet, when: { context.channel: web }, then: review }\n${rules}`;

  it('come with the changed facts that they cannot be read without', () => {
    const edits = editsBetween(
      channels('web, app'),
      channels('web, app, branch', '  - { id: staff, when: { context.channel: branch }, then: accept, final: true }\n'),
    );
    expect([...edits.keys()]).toEqual(['rule staff', 'fact context.channel']);
    expect(edits.get('rule staff')?.alone()?.facts.get('context.channel')?.values).toEqual(['web', 'app', 'branch']);
    expect(
      edits
        .get('rule staff')
        ?.without()
        ?.rules.map(({ id }) => id),
    ).toEqual(['quiet']);
    // The new rule names the new value.
    expect(edits.get('fact context.channel')?.without()).toBeUndefined();
  });

  it('are undefined where no policy with one of them alone can be read', () => {
    const ported = (value: string, test: string) =>
      `parameters: { limit: ${value} }\nrules:\n  - { id: one, when: { ${test} }, then: review }\n`;
    const edits = editsBetween(
      ported('3', 'phone.porting.portCount: { atLeast: $limit }'),
      ported('30 days', 'phone.porting.portedDate: { withinLast: $limit }'),
    );
    expect([...edits.keys()]).toEqual(['rule one', 'parameter limit']);
    expect(edits.get('parameter limit')?.alone()).toBeUndefined();
    expect(edits.get('rule one')?.alone()?.parameters.get('limit')?.value).toBe('30 days');
  });

  it('are both bands of a score, where one of them would pass the other', () => {
    const bands = (review: number, reject: number) =>
      `score: { review: ${review}, reject: ${reject} }\nrules:\n  - { id: one, when: { phone.valid: false }, points: 50 }\n`;
    const edits = editsBetween(bands(40, 60), bands(70, 90));
    expect(edits.get('score review')?.alone()?.score).toEqual({ review: 70, reject: 90 });
    expect(edits.get('score reject')?.alone()?.score).toEqual({ review: 40, reject: 90 });
  });
});

it('edits beside a long list leave it as it is, and one that names it has it', () => {
  const entries = Array.from({ length: 1001 }, (_, i) => `u${i}@mail.example`).join(', ');
  const policy = (more: string, score: number, rule = '') => `lists: { known: [${entries}${more}] }
rules:
  - { id: score, when: { phone.score: { atLeast: ${score} } }, then: review, reason: HIGH }
  - { id: email, when: { applicant.email: { inList: known } }, then: reject }
  - { id: domain, when: { applicant.email: { notInList: known } }, then: review }
${rule}`;
  const edits = editsBetween(
    policy('', 80),
    policy(
      ', new@mail.example',
      90,
      '  - { id: added, when: { context.x: { inList: known } }, then: review }\n',
    ).replace('lists:', 'facts: { context.x: { type: string, format: email } }\nlists:'),
  );
  const asked = (policy: Policy | undefined) =>
    policy?.rules.flatMap(({ id, when }) => {
      const [{ argument }] = [...testsOf(when)] as [Test];
      return isNamedList(argument) ? [[id, argument.entries.size]] : [];
    });
  const [score, list, added] = ['rule score', 'list known', 'rule added'].map((name) => edits.get(name));
  expect(asked(score?.alone())).toEqual([
    ['email', 1001],
    ['domain', 1001],
  ]);
  expect(score?.alone()?.lists.get('known')?.entries.size).toBe(1001);
  expect(asked(score?.without())).toEqual([
    ['email', 1002],
    ['domain', 1002],
    ['added', 1002],
  ]);
  expect(asked(list?.alone())).toEqual([
    ['email', 1002],
    ['domain', 1002],
  ]);
  expect(asked(list?.without())).toEqual([
    ['email', 1001],
    ['domain', 1001],
    ['added', 1001],
  ]);
  expect(asked(added?.alone())).toEqual([
    ['email', 1001],
    ['domain', 1001],
    ['added', 1001],
  ]);
  expect(asked(added?.without())).toEqual([
    ['email', 1002],
    ['domain', 1002],
  ]);
});

describe('no edits', () => {
  it.each([
    ['what is said to people', 'rules:\n  - { id: one, when: { phone.valid: false }, then: review, notice: No. }\n'],
    ['a guarantee', 'guarantees: [{ id: none, never: reject, when: { phone.valid: true } }]\n'],
    ['a declaration that nothing names', 'parameters: { limit: 3 }\n'],
    ['another name', 'rules:\n  - { id: two, when: { phone.valid: false }, then: review }\n'],
    ['another spelling', 'rules:\n  - { id: one, when: { phone.valid: { is: false } }, then: review }\n'],
  ])('are %s', (_, text) => {
    const rules = 'rules:\n  - { id: one, when: { phone.valid: false }, then: review }\n';
    const edits = editsBetween(rules, text.startsWith('rules') ? text : text + rules);
    expect([...edits.keys()]).toEqual([]);
  });
});
