/** A policy -> its schema with its own names, and types that the compiler checks callers against. */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../support/cli/cli.ts';
import { ROOT } from '../../support/docs/docs.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { schemaProblems } from '../../support/policy/validate.ts';

const POLICY = `policy: signup
version: "7"
default: accept
score: { review: 5 }
facts:
  context.channel: { type: enum, values: [web, app, "it's"], description: Where the applicant signs up }
  context.creditLimit: { type: number, unit: EUR }
  context.income: { type: number, unit: EUR, personal: true }
  context.visits: { type: integer }
  context.trust: { type: level }
  context.returning: { type: boolean, description: Known already. }
  context.since: { type: date, description: "First seen */ here" }
  context.device.os: { type: string }
  identity.nameScore: { type: integer }
lists: { blocked: [a] }
ruleSets: [sets/one.yaml, sets/two.yaml]
rules:
  - { id: some-rule, when: { context.channel: web }, then: review }
  - { id: on-trial, when: { context.channel: app }, then: review, mode: shadow }
`;
const FILES = {
  'policy.yaml': POLICY,
  'sets/one.yaml': 'conditions: { first: { phone.valid: true } }\nruleSets: [deeper.yaml, two.yaml]\n',
  'sets/deeper.yaml': 'conditions: { deeper: { phone.valid: true } }\nlists: { deep: [b] }\n',
  'sets/two.yaml': 'rules:\n  - { id: other, when: deeper, points: 3, reason: OTHER_REASON }\n',
};

/** A service that is compiled with the types of this policy; each line marked `wrong` has to be flagged. */
const CALLER = `
import { createDecider, type DeciderOptions, type Decision } from 'verdict-engine';
import type { PolicyTypes, ReasonCode } from './types.ts';

declare const options: DeciderOptions;
const decider = createDecider<PolicyTypes>(options);
const context = { channel: 'web', creditLimit: () => 5, since: async () => null, 'device.os': undefined } as const;
const decision: Decision<PolicyTypes> = await decider.decide({ phoneNo: '1' }, { context });
export const codes: readonly ReasonCode[] = decision.reasons.map(({ code }) => code);
for (const reason of decision.reasons) if (reason.because === 'fired') reason.evidence.map(({ fact }) => fact);
await decider.decide({ phoneNo: '1' }, { context: { channel: 'phone' } }); // wrong
await decider.decide({ phoneNo: '1' }, { context: { chanel: 'web' } }); // wrong
await decider.decide({ phoneNo: '1' }, { context: { creditLimit: '5' } }); // wrong
await decider.decide({ phoneNo: '1' }, { context: { creditLimit: () => '5' } }); // wrong
await decider.decide({ phoneNo: '1' }, { context: { trust: async () => 'high' as const, returning: 1 } }); // wrong
export const known = codes.includes('OTHER_REASON');
export const unknown = codes.includes('ANOTHER_REASON'); // wrong
export const never = decision.reasons[0]?.code === 'ANOTHER_REASON'; // wrong

const any = await createDecider(options).decide({ phoneNo: '1' }, { context: { whatever: 'x' } });
export const text: boolean = any.reasons[0]?.code === 'ANOTHER_REASON';
`;

/** The same for a policy without facts of its own, which allows no context. */
const CALLER_WITHOUT_FACTS = `
import { createDecider, type DeciderOptions } from 'verdict-engine';
import type { PolicyTypes } from './no-facts-types.ts';

declare const options: DeciderOptions;
await createDecider<PolicyTypes>(options).decide({ phoneNo: '1' });
await createDecider<PolicyTypes>(options).decide({ phoneNo: '1' }, { context: {} });
await createDecider<PolicyTypes>(options).decide({ phoneNo: '1' }, { context: { channel: 'web' } }); // wrong
`;

/** The output of `verdict generate` for this policy. */
async function generate(...args: readonly string[]): Promise<string> {
  const file = join(temporaryFolder(FILES), 'policy.yaml');
  const { exitCode, stdout, stderr } = await runCli(['generate', ...args, '--policy', file]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

describe('verdict generate schema', () => {
  it('prints a schema with the names of the policy from all of its files', async () => {
    const schema = JSON.parse(await generate('schema'));
    const when = (condition: string) => `${POLICY}  - { id: more, then: review, when: ${condition} }\n`;
    for (const condition of ['first', 'deeper', '{ ip.isp: { inList: deep } }', '{ context.trust: low }']) {
      expect([condition, schemaProblems(schema, when(condition))]).toEqual([condition, []]);
    }
    for (const condition of [
      'third',
      '{ ip.isp: { inList: shallow } }',
      '{ context.trust: web }',
      '{ context.age: 5 }',
    ]) {
      expect([condition, schemaProblems(schema, when(condition))]).not.toEqual([condition, []]);
    }
  });

  it('prints the schema of its rule sets with --rule-set', async () => {
    const schema = JSON.parse(await generate('schema', '--rule-set'));
    expect(schemaProblems(schema, FILES['sets/two.yaml'])).toEqual([]);
    expect(schemaProblems(schema, FILES['sets/two.yaml'].replace('deeper', 'deepest'))).not.toEqual([]);
    expect(schemaProblems(schema, POLICY)).not.toEqual([]);
  });
});

describe('verdict generate types', () => {
  it('prints the context facts with their meaning, and the reason codes', async () => {
    const types = await generate('types');
    expect(types).toContain(
      `/** Where the applicant signs up. */\n  readonly channel?: ContextFact<'web' | 'app' | "it's">;`,
    );
    expect(types).toContain('/** Unit: EUR. */\n  readonly creditLimit?: ContextFact<number>;');
    expect(types).toContain('/** Unit: EUR. Personal data. */\n  readonly income?: ContextFact<number>;');
    expect(types).toContain('/** An integer. */\n  readonly visits?: ContextFact<number>;');
    expect(types).toContain("readonly trust?: ContextFact<'veryLow' | 'low' | 'medium' | 'high' | 'veryHigh'>;");
    expect(types).toContain('/** Known already. */\n  readonly returning?: ContextFact<boolean>;');
    expect(types).toContain('/** First seen *\\/ here. A calendar day written yyyy-MM-dd, or never');
    expect(types).toContain("readonly 'device.os'?: ContextFact<string>;");
    expect(types).not.toContain('nameScore');
    expect(types.match(/ {2}\| '[A-Z_]+'/g)).toEqual(
      ['SOME_RULE', 'OTHER_REASON', 'SCORE', 'SCORE_UNDETERMINED', 'DEFAULT'].map((code) => `  | '${code}'`),
    );
  });

  it('check callers of decide against the policy, and leave callers without them unchecked', async () => {
    const phoneOnly = await runCli(['generate', 'types', '--policy', join(ROOT, 'rules/phone-only.yaml')]);
    const { flagged, wrong } = compile({
      'main.ts': CALLER,
      'types.ts': await generate('types'),
      'no-facts.ts': CALLER_WITHOUT_FACTS,
      'no-facts-types.ts': phoneOnly.stdout,
    });
    expect(flagged).toEqual(wrong);
    expect(wrong.map((place) => place.split(':')[0])).toEqual([...Array(7).fill('main.ts'), 'no-facts.ts']);
  });
});

/** The places that the compiler flags in programs, `FILE:LINE`, and those marked `// wrong`. */
function compile(files: Readonly<Record<string, string>>): { readonly flagged: string[]; readonly wrong: string[] } {
  const folder = temporaryFolder({ ...files, 'package.json': '{ "type": "module" }' });
  const compilerOptions = {
    noUnusedLocals: false,
    // The built types: to check the source again takes longer than all else.
    paths: { 'verdict-engine': [join(ROOT, 'dist/index.d.ts')] },
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['--pretty', 'false', '-p', folder], {
    encoding: 'utf8',
    cwd: folder,
  });
  const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
  const wrong = Object.entries(files).flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => (line.endsWith('// wrong') ? [`${file}:${index + 1}`] : [])),
  );
  // Whatever has no place is shown as it is.
  const flagged = errors.map((line) => line.replace(/^([^(]+)\((\d+),.*$/, '$1:$2'));
  return { flagged: flagged.sort(byPlace), wrong: wrong.sort(byPlace) };
}

const byPlace = new Intl.Collator('en', { numeric: true }).compare;
