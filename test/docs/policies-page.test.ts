/** docs/policies.md: what its table of mistakes says of each line is what verdict finds, and the mended line loads. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULE_KEYS } from '../../src/policy/read/rule.ts';
import { ROOT } from '../support/docs/docs.ts';
import { HEAD } from '../support/policy/policy.ts';
import { problemsOf } from '../support/policy/problems.ts';

const PAGE = readFileSync(join(ROOT, 'docs/policies.md'), 'utf8');

/** A row of the table: a line with a mistake, the check that finds it, and the right line. */
const ROW = /^\| `([^|]+)` \| \[([a-z-]+)\]\(checks\/\2\.md\) \| `([^|]+)` \|$/gm;

const ROWS = [...PAGE.matchAll(ROW)].map(([, wrong = '', code = '', right = '']) => ({ wrong, code, right }));

/** A policy with a line of the table: a whole rule, a key of a rule, or a test. */
function policyWith(line: string): string {
  if (line.startsWith('{')) return `${HEAD}rules:\n  - ${line}\n`;
  const [key = ''] = line.split(':');
  const isKey = key in RULE_KEYS || key === 'enabled';
  const keys = new Map([
    ['id', 'id: one'],
    ['when', 'when: { phone.valid: false }'],
    ['then', 'then: review'],
    isKey ? [key, line] : ['when', `when: { ${line} }`],
  ]);
  return `${HEAD}rules:\n  - ${[...keys.values()].join('\n    ')}\n`;
}

describe('the mistakes that everybody makes once', () => {
  it('are in a table', () => expect(ROWS.length).toBeGreaterThan(10));

  it.each(ROWS)('$wrong is $code', ({ wrong, code }) => {
    expect(problemsOf(policyWith(wrong)).codes).toEqual([code]);
  });

  it.each(ROWS)('$right loads', ({ right }) => {
    const codes = right === 'mode: shadow' ? ['warning no-active-rule'] : [];
    expect(problemsOf(policyWith(right))).toMatchObject({ codes, loads: true });
  });
});
