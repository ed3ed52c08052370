/** `verdict audit erase`: a subject -> the data keys of its records erased. */

import type { Command } from 'commander';
import type { Erased } from '../../../audit/retain/erase.ts';
import { count } from '../../../text.ts';
import { EXIT, type Finish, type Io, isTerminal, say, UsageError } from '../../io.ts';
import { addFormat, type JsonOptions } from '../../options/arguments.ts';
import { printResult } from '../../options/html.ts';
import { addKeys, type KeysOptions, logPlaceOf, readSecret, withLog } from '../../options/log-place.ts';

interface Options extends KeysOptions, JsonOptions {
  readonly subject: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Adds the command. */
export function addErase(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('erase <dir>')
    .description('erase the keys of all records of a phone number, email or IP address')
    .requiredOption('--subject <text>', 'the phone number, email or IP address; - reads it from standard input');
  command
    .option('--dry-run', 'print what would be erased, and change nothing')
    .option('--yes', 'erase without a question, even if several references are affected');
  addFormat(addKeys(command), ['text', 'json']).action(async (dir: string, options: Options) => {
    const subject = await readSecret(options.subject, io, 'the subject');
    const { eraseSubject, planErasure } = await import('../../../audit/retain/erase.ts');
    const place = logPlaceOf(dir, options, io);
    const { dryRun = false, yes = false } = options;
    const planned = dryRun || !yes ? await planErasure(place, subject) : undefined;
    if (planned && !dryRun && planned.references > 1) await askForSeveral(planned, options.subject, io);
    const erased = dryRun && planned ? planned : await withLog(place, (log) => eraseSubject({ log, subject }));
    await printResult(io, options, {
      data: () => ({ ...erased, dryRun }),
      text: () => formatErased(erased, dryRun),
    });
    const { plain, missing, unopened, unsearchable } = erased;
    const isIncomplete = plain.length + missing.length + unopened.length + unsearchable > 0;
    finish(isIncomplete || isNobody(erased) ? EXIT.found : EXIT.done);
  });
}

/** Rejects unless a person at a terminal agrees that the records of several references are erased. */
async function askForSeveral({ records, references }: Erased, subject: string, io: Io): Promise<void> {
  const problem =
    `${count(records.length, 'record')} with ${references} different references would be erased, for good: a phone ` +
    'number, email or IP address may be shared, such as by an office, a family or a mobile carrier';
  if (subject === '-' || !isTerminal(io.stdin)) {
    throw new UsageError(`${problem}; --dry-run counts them, --yes erases them`);
  }
  await say(io.stderr, `${problem}.\nErase them? Type yes: `);
  const answer = await readSecret('-', io, 'yes or no');
  if (answer.toLowerCase() !== 'yes') throw new UsageError('nothing was erased');
}

/** Whether neither a record nor a policy has the subject. */
function isNobody({ again: _, ...found }: Erased): boolean {
  return Object.values(found).every((count) => count === 0 || (Array.isArray(count) && count.length === 0));
}

function formatErased(erased: Erased, dryRun: boolean): string {
  if (isNobody(erased)) return 'nothing to erase: no record and no policy has this phone number, email or IP address\n';
  const { records, again, before, plain, missing, unopened, torn, unsearchable } = erased;
  const { policyTexts, policyTextsBefore, references } = erased;
  const would = dryRun ? 'would be ' : '';
  const of = references > 1 ? `, with ${references} different references,` : '';
  const counted = (n: number, noun: string, words: string) => (n > 0 ? [`${count(n, noun)} ${words}`] : []);
  const lines = [
    `${count(records.length, 'record')}${of} ${would}erased${before > 0 ? `, ${before} erased before` : ''}`,
    ...(policyTexts + policyTextsBefore > 0
      ? [
          `${count(policyTexts, 'text')} of archived policies ${would}erased, such as entries of lists` +
            (policyTextsBefore > 0 ? `; ${policyTextsBefore} erased before` : ''),
        ]
      : []),
    ...(again > 0 ? [`${again} of these had been erased before: was the key folder restored from a copy?`] : []),
    ...counted(torn, 'unfinished record', `from a crash ${would}erased`),
    ...counted(plain.length, 'record', 'not encrypted and not erased: prune the log'),
    ...counted(missing.length, 'record', 'without a key in the key folder: erased only if no copy of the key is left'),
    ...counted(
      unopened.length,
      'record',
      'not erased: the named key does not open the body, and may be of another record; run verdict audit verify',
    ),
    ...counted(
      unsearchable,
      'record',
      'not searched: the index key is not in the key folder, so the subject is unknown',
    ),
    dryRun
      ? 'Nothing was changed.'
      : 'What remains: the keyed hashes of the subject, the outcomes, codes and times, and copies of the key folder.',
  ];
  return `${lines.join('\n')}\n`;
}
