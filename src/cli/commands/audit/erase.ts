/** `verdict audit erase`: a subject, or a reference -> the data keys of its records erased. */

import type { Command } from 'commander';
import type { Erased, Erasee } from '../../../audit/retain/erase.ts';
import type { VelocityStore } from '../../../decision/velocity-store.ts';
import { count } from '../../../text.ts';
import { EXIT, type Io, isConfirmed, say, UsageError } from '../../io.ts';
import { addJson } from '../../options/arguments.ts';
import { REFERENCE } from '../../options/filters.ts';
import { addKeys, logPlaceOf, readSecret, withLog } from '../../options/log-place.ts';
import { addActor, readActor } from '../../options/reading.ts';
import { addVelocity, velocityOptions, withVelocity } from '../../options/velocity-store.ts';
import { endWith } from '../../result.ts';

export function addErase(audit: Command, io: Io): void {
  const command = audit
    .command('erase <log>')
    .description('erase the keys of all records of a phone number, email or IP address, or of a reference')
    .option('--subject <text>', 'the phone number, email or IP address; - reads it from standard input')
    .option('--reference <text>', `only the decisions with it, and their notes: ${REFERENCE}`)
    .option('--dry-run', 'print what would be erased, and change nothing')
    .option('--yes', 'erase without a question, even if several references or applicants are affected');
  addJson(addVelocity(addKeys(addActor(command)))).action(async (dir, options) => {
    if ((options.subject === undefined) === (options.reference === undefined)) {
      throw new UsageError('name whose records to erase: give --subject or --reference');
    }
    const erasee: Erasee =
      options.subject === undefined
        ? { reference: await readSecret(options.reference ?? '', io, 'the reference') }
        : { subject: await readSecret(options.subject, io, 'the subject') };
    const { eraseSubject, planErasure } = await import('../../../audit/retain/erase.ts');
    const { addEvent } = await import('../../../audit/query/event.ts');
    const place = logPlaceOf(dir, options, io);
    const { dryRun = false, yes } = options;
    const actor = dryRun ? undefined : readActor(options, 'an erasure');
    const store = velocityOptions(options, io, place);
    const planned = dryRun || yes ? undefined : await planErasure(place, erasee);
    if (planned && isOfSeveral(planned) && !(await mayEraseSeveral(planned, options, io))) {
      await say(io.stderr, 'verdict: nothing was erased\n');
      io.finish(EXIT.found);
      return;
    }
    const erase = (velocity: { readonly velocity?: VelocityStore }) =>
      actor
        ? withLog(place, async (log) => {
            // Before it: no key is gone without who ordered that. Not of the subject, whose next erasure would end it.
            await addEvent({ log, ...actor, type: 'subject.erased', detail: Object.keys(erasee)[0] ?? '' });
            return eraseSubject({ log, ...velocity, ...erasee });
          })
        : planErasure(place, { ...velocity, ...erasee });
    const erased = await (store ? withVelocity(store, (velocity) => erase({ velocity })) : erase({}));
    const { plain, missing, unopened, withoutSubject, unsearchable } = erased;
    const left = [plain, missing, unopened, withoutSubject].flat().length;
    const isIncomplete = left + unsearchable > 0;
    await endWith(io, options, {
      data: () => ({ ...erased, dryRun }),
      text: () => formatErased(erased, erasee, dryRun),
      exitCode: isIncomplete || isNobody(erased) ? EXIT.found : EXIT.done,
    });
  });
}

function isOfSeveral({ references, applicants }: Erased): boolean {
  return references > 1 || applicants > 1;
}

/** `6 records of 3 applicants, with 5 different references,`; or only `1 record`. */
function recordWords(erased: Erased): string {
  const { records, references, applicants } = erased;
  if (!isOfSeveral(erased)) return count(records.length, 'record');
  const different = references > 1 ? `${references} different references` : 'one reference';
  return `${count(records.length, 'record')} of ${count(applicants, 'applicant')}, with ${different},`;
}

/** Whether a person agrees that the records of several applicants or references are erased. */
function mayEraseSeveral(erased: Erased, { subject, reference }: Partial<Erasee>, io: Io): Promise<boolean> {
  const shared =
    reference === undefined
      ? 'a phone number, email or IP address may be shared, such as by an office, a family or a mobile carrier'
      : 'the reference was given to different people';
  const problem = `${recordWords(erased)} would be erased, for good: ${shared}`;
  const instead = `${problem}; --dry-run counts them, --yes erases them`;
  // What is read from standard input leaves no room there for an answer.
  if ((subject ?? reference) === '-') throw new UsageError(instead);
  return isConfirmed(`${problem}.\nErase them?`, instead, io);
}

/** Whether neither a record nor a policy has the subject. */
function isNobody({ again: _, ...found }: Erased): boolean {
  return Object.values(found).every((count) => count === 0 || (Array.isArray(count) && count.length === 0));
}

function formatErased(erased: Erased, { reference }: Erasee, dryRun: boolean): string {
  if (isNobody(erased)) {
    return reference === undefined
      ? 'nothing to erase: no record and no policy has this phone number, email or IP address\n'
      : 'nothing to erase: no record has this reference\n';
  }
  const { again, before, plain, missing, unopened, withoutSubject, torn, unsearchable } = erased;
  const { policyTexts, policyTextsBefore, counts = 0 } = erased;
  const would = dryRun ? 'would be ' : '';
  const counted = (n: number, noun: string, words: string) => (n > 0 ? [`${count(n, noun)} ${words}`] : []);
  const lines = [
    `${recordWords(erased)} ${would}erased${before > 0 ? `, ${before} erased before` : ''}`,
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
      withoutSubject.length,
      'record',
      'not erased: an erasure on record names a phone number, email or IP address, and it has none; prune the log',
    ),
    ...counted(
      unsearchable,
      'record',
      'not searched: the index key is not in the key folder, so the subject is unknown',
    ),
    ...counted(counts, 'member', `of the counts of earlier applications ${would}erased`),
    dryRun
      ? 'Nothing was changed.'
      : 'What remains: the keyed hashes of the subject, the outcomes, codes and times, and copies of the key folder.',
    ...(erased.counts === undefined ? ['Not looked at: what a velocity store counts; see --velocity.'] : []),
    ...(reference === undefined
      ? []
      : ['Not looked at: other records of the same person, and policies; see --subject.']),
  ];
  return `${lines.join('\n')}\n`;
}
