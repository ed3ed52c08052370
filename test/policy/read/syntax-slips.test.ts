/** Slips of YAML's syntax: what is said of each, and the text that was meant. */

import { describe } from 'vitest';
import { ruleWhen } from '../../support/policy/problems.ts';
import { type Slip, testSlips } from '../../support/policy/slips.ts';

const SLIPS: readonly Slip[] = [
  {
    slip: 'a comma in a number',
    written: ruleWhen('{ phone.porting.portCount: { above: 1,‹000 } }'),
    code: 'unknown-operator',
    hint: /^a comma ends a value inside \{ \}: .* write numbers like 1000 or 0\.5$/,
    mended: ruleWhen('{ phone.porting.portCount: { above: 1000 } }'),
  },
];

describe('a slip of syntax is answered in words, and what was meant loads:', () => testSlips(SLIPS));
