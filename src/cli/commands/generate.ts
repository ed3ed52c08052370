/** `verdict generate`: a policy -> its JSON Schema or its TypeScript types, on standard output. */

import type { Command } from 'commander';
import { addPolicyFiles, loadPolicyFiles } from '../input/load-policy.ts';
import { type Io, write } from '../io.ts';

export function addGenerate(program: Command, io: Io): void {
  const generate = program.command('generate').description('write the JSON Schema or the TypeScript types of a policy');
  const schema = generate
    .command('schema')
    .description('the JSON Schema of a policy, with its own facts, lists and conditions')
    .option('--rule-set', 'the schema of its rule-set files instead');
  addPolicyFiles(schema).action(async ({ ruleSet, ...files }) => {
    const { policySchema, ruleSetSchema } = await import('../../policy/editor/schema.ts');
    const { schemaText } = await import('../../facts/json-schema.ts');
    const own = await loadPolicyFiles(files);
    await write(io.stdout, schemaText(ruleSet ? ruleSetSchema(own) : policySchema(own)));
  });
  const types = generate
    .command('types')
    .description("the TypeScript types of a policy's context facts and reason codes");
  addPolicyFiles(types).action(async (files) => {
    const { policyTypes } = await import('../../policy/editor/typescript-types.ts');
    await write(io.stdout, policyTypes(await loadPolicyFiles(files)));
  });
}
