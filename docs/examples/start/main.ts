/** The sandbox and the shipped policy -> three decisions, one of them with its reasons, and what to try next. */

import { createDecider, createVerifyClient, type Decision, loadPolicy } from 'verdict-engine';
import { PERSONAS, SANDBOX_USERS, startSandbox } from 'verdict-engine/sandbox';

const root = new URL('../../../', import.meta.url);

const service = await startSandbox();
const [user = { username: '', password: '' }] = SANDBOX_USERS;
const verify = createVerifyClient({ baseUrl: service.url, environment: 'sandbox', ...user });
const decider = createDecider({ policy: loadPolicy(new URL('rules/onboarding.yaml', root)), verify });

console.log('A simulated verification service answers; rules/onboarding.yaml decides.\n');
const people = PERSONAS.filter(({ name }) => ['clean', 'ported-risky-email', 'voip-disposable'].includes(name));
let reviewed: Decision | undefined;
for (const { name, description, phoneNo, email, ip, outcome } of people) {
  const decision = await decider.decide({ phoneNo, email, ip }, { clientReference: `start-${name}` });
  if (decision.outcome === 'review') reviewed = decision;
  if (decision.outcome !== outcome) process.exitCode = 1;
  console.log(`${decision.outcome.toUpperCase().padEnd(7)} ${name}: ${description}`);
}
await verify.close();
await service.close();

console.log('\nWhy the second one is reviewed:');
for (const reason of reviewed?.reasons ?? []) {
  if (!reason.decisive) continue;
  const message = reason.because === 'fired' ? reason.message : undefined;
  console.log(`  ${reason.code}${message === undefined ? '' : `: ${message}`}`);
}

const [, second] = people;
console.log(`
What to try next:
  npx verdict decide --sandbox --explain --phone +${second?.phoneNo} --email ${second?.email} --ip ${second?.ip}
  npx verdict sandbox          more people, and a service to ask
  npx verdict check rules/     mistakes and suspicious rules of a policy
  npx verdict test rules/      the tests of the shipped policies
Change a number in rules/rule-sets/porting.yaml and run npm start again. docs/policies.md shows how to write a policy.`);
