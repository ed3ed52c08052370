/** `verdict test record`: a decision on record -> a test of it, for an invented applicant. */

import { dirname } from 'node:path';
import type { CommandUnknownOpts } from 'commander';
import { DiagnosticsError } from '../../../diagnostics.ts';
import { VerdictError } from '../../../errors.ts';
import type { NoTest, Recorded } from '../../../lab/cases/recorded-test.ts';
import type { WrittenTest } from '../../../lab/cases/test-yaml.ts';
import type { TestHead, TestReader } from '../../../lab/test/read-tests.ts';
import type { Policy } from '../../../policy/language.ts';
import { reportTampering } from '../../findings.ts';
import { loadPolicyFiles } from '../../input/load-policy.ts';
import { loadNamedDecision, readId } from '../../input/named-decision.ts';
import { CouldNotRunError, type Io, UsageError, write } from '../../io.ts';
import { REFERENCE } from '../../options/filters.ts';
import { addKeys, logPlaceOf } from '../../options/log-place.ts';
import { addReading, recordReading } from '../../options/reading.ts';
import { appendToFile, createFile, isNewFile } from './write-tests.ts';

export function addRecord(test: CommandUnknownOpts, io: Io): void {
  const command = test
    .command('record <log>')
    .argument('[id]', 'the id of a decision', readId)
    .description(
      'make a test of a decision on record; the applicant is an invented one whom no rule can tell from the real one',
    )
    .option('--reference <text>', `in place of the id: ${REFERENCE}`)
    .option('--write <file>', 'append the test to this file of tests, or make it (default: print the test)');
  addReading(addKeys(command)).action(async (dir, id, options) => {
    await reportTampering(io, async () => {
      const { write: file } = options;
      const isNew = file !== undefined && (await isNewFile(file));
      const reader = file === undefined || isNew ? undefined : await readerOf(file);
      const { record, hasKeys } = await loadNamedDecision({ dir, id, ...options }, io);
      const { unreadableFacts } = await import('../../../report/record.ts');
      const unreadable = unreadableFacts(record, hasKeys);
      const { body } = record;
      if ('closed' in body || unreadable) throw new CouldNotRunError(unreadable?.words ?? 'its facts cannot be read');
      const event = { type: 'data.revealed', detail: 'test', object: record.record.id } as const;
      await recordReading(logPlaceOf(dir, options, io), event, options, io);
      const { name } = body.policy;
      if (file !== undefined && reader) {
        const head = headFor(name, reader.heads, file);
        const { name: title, at, ...rest } = await testOf(body, head.policy);
        const { takeName } = await import('../../../lab/cases/test-yaml.ts');
        const own = {
          name: takeName(title, new Set(head.names)),
          policy: head.named,
          at: at === head.at ? undefined : at,
        };
        await appendToFile(file, [{ test: { ...own, ...rest } }], io);
      } else if (file !== undefined) {
        const path = await fileOfPolicy(name, file);
        const { at = body.day, ...test } = await testOf(body, await loadPolicyFiles({ policy: path }));
        const { pathFrom } = await import('../../../lab/cases/test-yaml.ts');
        await createFile(file, { policies: [pathFrom(file, path)], at }, [{ test }], io);
      } else {
        const { testLines } = await import('../../../lab/cases/test-yaml.ts');
        await write(io.stdout, `${testLines(await testOf(body)).join('\n')}\n`);
      }
    });
  });
}

/** The test, for an applicant whom neither the policy on record nor the one in files can tell from the real one. */
async function testOf(recorded: Recorded, policy?: Policy): Promise<WrittenTest> {
  const { recordedTest } = await import('../../../lab/cases/recorded-test.ts');
  const found = recordedOrRefused(() => recordedTest(recorded, policy));
  if ('problem' in found) throw new CouldNotRunError(`no test was made: ${found.problem}`);
  return found;
}

/** What was recorded; for policies whose facts cannot be compared, how to do without the one in files. */
function recordedOrRefused(record: () => WrittenTest | NoTest): WrittenTest | NoTest {
  try {
    return record();
  } catch (error) {
    if (!VerdictError.is(error) || error.code !== 'REQUEST_INVALID') throw error;
    return { problem: `${error.message}, or print the test without --write` };
  }
}

async function readerOf(file: string): Promise<TestReader> {
  const { TestReader } = await import('../../../lab/test/read-tests.ts');
  const reader = new TestReader({ allowOnly: true });
  const { diagnostics } = reader.read(file);
  if (diagnostics.length > 0) throw new DiagnosticsError('TESTS_INVALID', diagnostics);
  return reader;
}

/** What a file says of its tests of the policy of this name. */
function headFor(name: string, heads: TestReader['heads'], file: string): TestHead {
  const own = heads.find(({ head }) => head.policy.name === name);
  if (own) return own.head;
  const tested = heads.map(({ head }) => head.policy.name).join(', ');
  throw new UsageError(`--write: the decision is by the policy ${name}; ${file} has tests of ${tested}`);
}

/** The file of the policy of this name, in the folder of a new file of tests or below it. */
async function fileOfPolicy(name: string, testFile: string): Promise<string> {
  const { policyFilesNamed } = await import('../../../policy/check/candidates.ts');
  const folder = dirname(testFile);
  const files = policyFilesNamed(name, folder);
  const [path] = files;
  if (path !== undefined && files.length === 1) return path;
  const found = path === undefined ? 'none' : files.join(' and ');
  throw new CouldNotRunError(
    `${testFile} cannot be made: expected one file with the policy ${name} in ${folder}, found ${found}. ` +
      'Make it with `policy`, `at` and a first test, or print the test without --write',
  );
}
