/** docs/operators.md matches the table of operators, and its examples are true. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATOR_NAMES } from '../../src/policy/operators.ts';
import { ROOT } from '../support/docs/docs.ts';
import {
  conditionOf,
  EXAMPLE_DAY,
  EXAMPLE_LISTS,
  OPERATOR_EXAMPLES,
  operatorsMarkdown,
} from '../support/docs/operators-page.ts';
import { truthOf } from '../support/policy/decide.ts';
import { readPolicyText } from '../support/policy/policy.ts';
import { ruleWhen } from '../support/policy/problems.ts';

describe('docs/operators.md', () => {
  it('matches the table of operators', () => {
    expect(readFileSync(join(ROOT, 'docs/operators.md'), 'utf8')).toBe(operatorsMarkdown());
  });

  it.each(OPERATOR_NAMES)('has a row and an example for %s', (name) => {
    const lines = operatorsMarkdown().split('\n');
    expect(lines.filter((line) => line.startsWith(`| \`${name}\` `))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith(`| \`${conditionOf(name)}\` `))).toHaveLength(1);
  });
});

describe('the example of an operator', () => {
  it.each(OPERATOR_NAMES)('for %s is true, false and unknown for the facts that the page names', async (name) => {
    // All examples share the lists, so one example may leave some unused.
    const { policy } = readPolicyText(ruleWhen(`{ ${conditionOf(name)} }`, EXAMPLE_LISTS));
    if (!policy) throw new Error('the example cannot be read');
    const { fact, holds, fails } = OPERATOR_EXAMPLES[name];
    const truthFor = (given: Readonly<Record<string, unknown>>) => truthOf(policy, given, EXAMPLE_DAY);
    expect(await truthFor({ [fact]: holds })).toBe(true);
    if (fails !== undefined) expect(await truthFor({ [fact]: fails })).toBe(false);
    expect(await truthFor({})).toBe(fails === undefined ? false : 'unknown');
  });
});
