/** Proofs as Markdown. */

import { expect, it } from 'vitest';
import type { Proof } from '../../src/lab/prove/prove.ts';
import { proofsAsMarkdown } from '../../src/report/proofs.ts';
import { policyOf } from '../support/policy/policy.ts';

it('a name with a bar in it does not end a cell', () => {
  const property = { name: 'monotone:a|b', kind: 'monotone', about: 'a|b' } as const;
  const days = ['2026-11-20'];
  const proof: Proof = { property, result: 'proved', applicants: [], days, firstDay: '2026-11-20' };
  expect(
    proofsAsMarkdown([proof], policyOf('policy: p\nversion: "1"\ndefault: accept\nrules: []\n'), '2026-11-20').split(
      '\n',
    ),
  ).toContain('| `monotone:a\\|b` | no applicant gets a milder outcome because a\\|b is higher | proved |');
});
