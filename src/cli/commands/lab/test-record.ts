/** `verdict test record`: a decision on record -> a test of it, for an invented applicant. */

import type { Command } from 'commander';
import { DiagnosticsError } from '../../../diagnostics.ts';
import type { TestReader as Reader, TestHead } from '../../../lab/testing/read-tests.ts';
import { unreadableFacts } from '../../../report/words/unreadable-facts.ts';
import { loadNamedDecision, readId } from '../../input/named-decision.ts';
import { CouldNotRunError, EXIT, type Finish, type Io, write } from '../../io.ts';
import { REFERENCE } from '../../options/filters.ts';
import { addKeys, type KeysOptions } from '../../options/log-place.ts';
import { reportTampering } from '../../terminal/format-finding.ts';
import { appendToFile } from './write-tests.ts';

interface Options extends KeysOptions {
  readonly reference?: string;
  readonly write?: string;
}

export function addRecord(test: Command, io: Io, finish: Finish): void {
  const command = test
    .command('record <log>')
    .argument('[id]', 'the id of a decision', readId)
    .description(
      'make a test of a decision on record; the applicant is an invented one whom no rule can tell from the real one',
    )
    .option('--reference <text>', `in place of the id: ${REFERENCE}`)
    .option('--write <file>', 'append the test to this file of tests (default: print it)');
  addKeys(command).action(async (dir: string, id: string | undefined, options: Options) => {
    await reportTampering(io, finish, async () => {
      const head = options.write === undefined ? undefined : await headOf(options.write);
      const { record, hasKeys } = await loadNamedDecision({ dir, id, ...options }, io);
      const unreadable = unreadableFacts(record, hasKeys);
      const { body } = record;
      if ('closed' in body || unreadable) throw new CouldNotRunError(unreadable?.words ?? 'its facts cannot be read');
      const { recordedTest } = await import('../../../lab/writing/recorded-test.ts');
      const found = recordedTest(body, head?.policy);
      if ('problem' in found) throw new CouldNotRunError(`no test was made: ${found.problem}`);
      if (head && options.write !== undefined) {
        const { unusedName } = await import('../../../lab/writing/append-tests.ts');
        const name = unusedName(found.name, head.names);
        const own = { ...found, name, policy: head.named, at: found.at === head.at ? undefined : found.at };
        await appendToFile(options.write, [{ test: own }], io);
      } else {
        const { testLines } = await import('../../../lab/writing/case-yaml.ts');
        await write(io.stdout, `${testLines(found).join('\n')}\n`);
      }
      finish(EXIT.done);
    });
  });
}

/** What a file of tests says of its tests, for the first of its policies. */
async function headOf(file: string): Promise<TestHead> {
  const { TestReader } = await import('../../../lab/testing/read-tests.ts');
  const reader = new TestReader({ allowOnly: true });
  const { diagnostics } = reader.read(file);
  if (diagnostics.length > 0) throw new DiagnosticsError('TESTS_INVALID', diagnostics);
  const [{ head }] = reader.heads as [Reader['heads'][number]];
  return head;
}
