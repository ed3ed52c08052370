/** Warnings that are meant: a comment with a reason silences one, and only that one. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFiles } from '../../../src/policy/check/check-files.ts';
import { readPolicyText } from '../../../src/policy/load.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const RULES = `${HEAD}rules:
  - { id: strict, when: { phone.type: voip }, then: reject }
  # ABOVE
  - { id: covered, when: { phone.type: voip, phone.valid: true }, then: review } # BEHIND
`;

const withComment = (above: string, behind = 'nothing') => RULES.replace('ABOVE', above).replace('BEHIND', behind);

function check(text: string, files: Readonly<Record<string, string>> = {}) {
  const { diagnostics, silenced, policy } = readPolicyText(text, { files });
  const where = diagnostics.map(({ code, file, position }) => `${code} ${file}:${position?.line}`);
  return {
    where: where.map((each) => each.replace('policy.yaml:', '')),
    silenced: silenced.map(({ code, position, reason }) => `${code} ${position?.line}: ${reason}`),
    messages: diagnostics.map(({ message }) => message),
    hints: diagnostics.map(({ hint }) => hint),
    policy,
  };
}

const COVERED_LINE = 7;

describe('a comment above what a warning points at', () => {
  it('silences it, with the reason', () => {
    expect(check(withComment('a remark')).where).toEqual([`covered ${COVERED_LINE}`]);
    const { where, silenced } = check(withComment('verdict: allow covered (kept for its notice (legal))'));
    expect({ where, silenced }).toEqual({
      where: [],
      silenced: [`covered ${COVERED_LINE}: kept for its notice (legal)`],
    });
  });

  it('may be one of several, above other comments', () => {
    const both = 'verdict: allow covered (meant)\n  # verdict: allow never-fires (no)\n  # a remark';
    const { where, silenced } = check(withComment(both));
    expect({ where, silenced }).toEqual({ where: ['unused-allow 7'], silenced: ['covered 9: meant'] });
  });

  it('changes neither the policy nor its digest', () => {
    const [with_, without] = [withComment('verdict: allow covered (meant)'), withComment('a remark')].map(
      (text) => check(text).policy?.digest,
    );
    expect(with_).toMatch(/^sha256:/);
    expect(with_).toBe(without);
  });

  it('silences nothing without a reason, with another code, or a line further up', () => {
    const COVERED = `covered ${COVERED_LINE}`;
    for (const [comment, message] of [
      ['verdict: allow covered', /^"covered" is allowed without a reason/],
      ['verdict: allow covered ( )', /^found a comment for verdict that cannot be read$/],
      ['verdict: allow never-fires (meant)', /^the line below has no warning "never-fires"/],
      ['verdict: allow unused-allow (meant)', /^the line below has no warning "unused-allow"/],
      ['verdict: allow unknown-fact (meant)', /^"unknown-fact" is an error, which no comment silences$/],
      ['verdict: allow outdated-text (meant)', /^the check "outdated-text" no longer exists/],
      ['verdict: ignore covered (meant)', /^found a comment for verdict that cannot be read$/],
      ['verdict allow covered (meant)', /^found a comment for verdict that cannot be read$/],
    ] as const) {
      const { where, messages, silenced } = check(withComment(comment));
      expect([comment, where, silenced]).toEqual([comment, ['unused-allow 6', COVERED], []]);
      expect(messages[0]).toMatch(message);
    }
    const { where, hints } = check(withComment('verdict: allow coverd (meant)'));
    expect([where, hints[0]]).toEqual([['unused-allow 6', COVERED], 'did you mean "covered"?']);
    const apart = check(withComment('verdict: allow covered (meant)\n'));
    expect(apart.where).toEqual(['unused-allow 6', 'covered 8']);
    const behind = check(withComment('a remark', 'verdict: allow covered (meant)'));
    expect(behind.where).toEqual([COVERED, `unused-allow ${COVERED_LINE}`]);
  });

  it('is no comment in a text', () => {
    const text = `${HEAD}description: |\n  # verdict: allow covered (meant)\ndefaultNotice: "# verdict: allow x"\n`;
    expect(check(`${text}rules:\n  - { id: a, when: { phone.valid: true }, then: review }\n`).where).toEqual([]);
  });

  it('is not called unused where the policy has errors, so that the warning was not looked for', () => {
    const wrong = withComment('verdict: allow covered (meant)').replace('voip, phone.valid', 'voop, phone.valid');
    expect(check(wrong).where).toEqual(['wrong-value 7']);
    expect(check(withComment('verdict: allow unused-file (meant)')).where).toEqual([`covered ${COVERED_LINE}`]);
  });

  it('silences no error', () => {
    const wrong = withComment('verdict: allow wrong-value (meant)').replace('voip, phone.valid', 'voop, phone.valid');
    expect(check(wrong).where).toEqual(['unused-allow 6', 'wrong-value 7']);
  });
});

describe('other files', () => {
  it('have such comments too: rule sets, lists of lines, but not CSV', () => {
    const hidden = 'a\u200bb';
    const own = `${HEAD}ruleSets: [set.yaml]
lists: { lines: { file: l.txt }, records: { file: l.csv } }
rules:
  - { id: a, when: { any: [{ ip.isp: { inList: lines } }, { ip.isp: { inList: records } }] }, then: review }
`;
    const { where, silenced } = check(own, {
      'set.yaml': 'conditions:\n  # verdict: allow unused-condition (for later)\n  later: { phone.valid: true }\n',
      'l.txt': `# verdict: allow hidden-character (as sent)\n${hidden}\nb # verdict: allow covered (meant)\n`,
      'l.csv': `value,note\n# verdict: allow hidden-character (as sent),\n${hidden},\n`,
    });
    expect(where.toSorted()).toEqual(['hidden-character l.csv:3', 'unused-allow l.txt:3']);
    expect(silenced).toEqual(['hidden-character 2: as sent', 'unused-condition 3: for later']);
  });

  it('are checked once, and a comment that is of use to one of several policies is no warning', () => {
    const rule = (condition: string) => `rules:\n  - { id: a, when: ${condition}, then: review }\n`;
    const folder = temporaryFolder({
      'one.yaml': `${HEAD}ruleSets: [set.yaml]\n${rule('shared')}`,
      'other.yaml': `${HEAD}ruleSets: [set.yaml]\n${rule('{ phone.valid: true }')}`,
      'set.yaml':
        'conditions:\n  # verdict: allow unused-condition (not in other.yaml)\n  shared: { phone.valid: false }\n',
    });
    const { diagnostics, silenced } = checkFiles([folder]);
    expect(diagnostics).toEqual([]);
    expect(silenced.map(({ code, file }) => [code, file])).toEqual([['unused-condition', join(folder, 'set.yaml')]]);
  });

  it('of mappings have them for what answers show', () => {
    const mapping = (comment: string) => `signals:\n  # ${comment}\n  phone.score: phone.score\n`;
    const checked = (comment: string, answers: readonly unknown[]) => {
      const folder = temporaryFolder({ 'signals.yaml': mapping(comment) });
      const { diagnostics, silenced } = checkFiles([folder], { answers });
      return [diagnostics.map(({ code }) => code), silenced.map(({ code }) => code)];
    };
    const answer = { phone: { status: 'ok', score: 1 } };
    const allowed = 'verdict: allow unread-status (the phone never fails)';
    expect(checked('a remark', [answer])).toEqual([['unread-status'], []]);
    expect(checked(allowed, [answer])).toEqual([[], ['unread-status']]);
    expect(checked(allowed, [])).toEqual([[], []]);
    expect(checked(allowed, [{ phone: { score: 1 } }])).toEqual([['unused-allow'], []]);
    expect(checked('verdict: allow unread-status', [answer])).toEqual([['unused-allow', 'unread-status'], []]);
  });
});
