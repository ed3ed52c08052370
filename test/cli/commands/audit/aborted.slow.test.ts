/** A decision that its caller aborted after the service was asked: what the commands of the log say about it. */

import { expect, it } from 'vitest';
import { createDecider } from '../../../../src/decision/decide.ts';
import type { Verifier } from '../../../../src/decision/fetch/service-call.ts';
import { localVerifier, logFolder, personOf } from '../../../support/audit/decisions.ts';
import { pageOf, runCli } from '../../../support/cli/cli.ts';
import { HEAD, policyOf } from '../../../support/policy/policy.ts';

const POLICY = `${HEAD}facts: { context.limit: { type: number } }
stages: [[phoneNo], [phoneNo, email]]
rules:
  - { id: scored, when: { phone.score: { above: 90 } }, then: reject }
  - { id: limit, when: { context.limit: { above: 5000 } }, then: review }
  - { id: email, when: { email.address.riskLevel: { atLeast: high } }, then: review }
`;

/** A log with a decision on each of two people, the second of which is aborted during its second call. */
async function recorded() {
  const folder = await logFolder();
  const audit = await folder.open();
  const ending = new AbortController();
  let calls = 0;
  const verify: Verifier = {
    verify(request) {
      calls += 1;
      if (calls < 4) return localVerifier.verify(request);
      ending.abort();
      return new Promise(() => {});
    },
  };
  const decider = createDecider({ policy: policyOf(POLICY), verify, audit });
  const context = { limit: 100 };
  const given = await decider.decide(personOf(0), { context });
  const options = { context, clientReference: 'left-early', signal: ending.signal };
  await decider.decide(personOf(1), options).catch(() => {});
  await audit.close();
  const id = folder.decisions().find((entry) => entry.id !== given.id)?.id ?? '';
  const line = (command: string, args: readonly string[]) => [
    ...['audit', command, folder.dir, ...args, '--keys', folder.keys],
  ];
  const run = (command: string, ...args: readonly string[]) => runCli(line(command, args));
  const pageBy = (command: string, ...args: readonly string[]) => pageOf(line(command, args));
  return { ...folder, given, id, run, pageBy };
}

it('is found, shown and replayed as aborted, and is no decision of a policy', async () => {
  const { given, id, run, pageBy } = await recorded();
  const idsOf = async (...args: readonly string[]) =>
    JSON.parse((await run('search', '--json', ...args)).stdout).map((row: { id: string }) => row.id);
  expect(await idsOf('--outcome', 'aborted')).toEqual([id]);
  expect(await idsOf('--outcome', given.outcome)).toEqual([given.id]);
  expect(await idsOf('--subject', personOf(1).phoneNo)).toEqual([id]);

  const shown = await run('show', id);
  expect(shown.exitCode).toBe(0);
  expect(shown.stdout).toMatch(/\n {2}outcome {4}aborted\n/);
  expect(shown.stdout).toContain('reference  left-early\n');
  expect(shown.stdout).toContain('and nobody was given it. The facts that were there lead to review.\n');
  const unknown = 'phoneNo, email +no answer; it may have been carried out, and billed +once +ABORTED';
  expect(shown.stdout).toMatch(new RegExp(`phoneNo +answered .*\\n.* ${unknown}`));
  const { decision } = JSON.parse((await run('show', id, '--json')).stdout);
  expect(decision.signals.calls).toMatchObject([
    { result: 'answered', asked: ['phoneNo'] },
    { result: 'unknown', asked: ['phoneNo', 'email'], error: 'ABORTED' },
  ]);
  const page = await pageBy('show', id);
  expect(page).toMatch(/<h1><span class="outcome aborted">.*nobody was given it/s);
  expect(await pageBy('show', given.id)).not.toContain('nobody was given');

  const replayed = await run('replay', '--policy', 'rules/phone-only.yaml');
  expect(replayed.stdout).toContain('2 decisions decided again: 2 the same to the last byte');
  expect(replayed.stdout).toContain('  1 aborted decision not compared: nobody was given an outcome');
  expect(replayed.stdout.match(/ to \w+ +\d/g)).toHaveLength(1);
  expect(await run('verify')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('2 decisions') });
});
