/** `verdict serve --try` decides a month of invented applicants, by the shipped rules or by one's own. */

import { expect, test } from 'vitest';
import { askTrial, checkTrial, OWN, serving } from '../../../support/cli/serving.ts';
import { temporaryFolder } from '../../../support/policy/policy.ts';

test('--try needs nothing but a port, and prints a request that is answered and five links', async () => {
  await checkTrial([]);
});

test("--try decides the invented month by one's own rules, which count who came before", async () => {
  const folder = temporaryFolder({
    'harbour.yaml': OWN,
    'other.yaml': 'lists: {}\n',
    'harbour.test.yaml': 'tests: []\n',
  });
  await serving(['--try', '--port', '0', '--rules', folder], {}, async (url, stdout, stderr) => {
    await expect.poll(stdout).toContain('auditor');
    expect(stderr()).toContain('deciding on a month of invented applicants by the policy harbour…\n');
    expect(stderr()).toContain('note: the rules are not released, so nobody changes them in the browser: ');
    const { total } = await askTrial(url, stdout(), '/v1/decisions?count=true&rule=burst');
    expect(total).toBeGreaterThan(0);
  });
});
