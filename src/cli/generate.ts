/** `verdict generate`: what editors and compilers want to know of a policy, on standard output. */

import type { Command } from 'commander';
import { type Io, write } from './io.ts';

/** Adds the commands. */
export function addGenerate(program: Command, io: Io): void {
  const generate = program.command('generate').description('write what editors and compilers want to know of a policy');
  generate
    .command('schema')
    .description('the JSON Schema of a policy, with its own facts, lists and conditions')
    .requiredOption('--policy <file>', 'the policy')
    .option('--rule-set', 'the schema of its rule-set files instead')
    .action(async ({ policy, ruleSet }: { policy: string; ruleSet?: true }) => {
      const { loadPolicy } = await import('../policy/parse.ts');
      const { policySchema, ruleSetSchema } = await import('../policy/schema.ts');
      const { schemaText } = await import('../facts/json-schema.ts');
      const own = loadPolicy(policy);
      await write(io.stdout, schemaText(ruleSet ? ruleSetSchema(own) : policySchema(own)));
    });
  generate
    .command('types')
    .description("the TypeScript types of a policy's context facts and reason codes")
    .requiredOption('--policy <file>', 'the policy')
    .action(async ({ policy }: { policy: string }) => {
      const { loadPolicy } = await import('../policy/parse.ts');
      const { policyTypes } = await import('../policy/types.ts');
      await write(io.stdout, policyTypes(loadPolicy(policy)));
    });
}
