/** `verdict audit note`: what a person did after a decision -> a record. `verdict audit erase`: a subject -> its records closed for good. */

import { type Command, Option } from 'commander';
import { DISPOSITIONS, type NoteFields } from '../../audit/line.ts';
import { count } from '../../diagnostics.ts';
import { EXIT, type Io, write } from '../io.ts';
import type { Finish } from '../program.ts';
import { addKeys, type KeysOptions, placeOf, readSecret, withLog } from './place.ts';

interface NoteOptions extends KeysOptions {
  readonly disposition: NoteFields['disposition'];
  readonly by: string;
  readonly why: string;
}

/** Adds `note`. */
export function addNoteCommand(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('note <dir> <id>')
    .description('record what a person did after a decision')
    .addOption(new Option('--disposition <what>', 'what came of it').choices(DISPOSITIONS).makeOptionMandatory())
    .requiredOption('--by <name>', 'who did it; sealed like the facts')
    .requiredOption('--why <text>', 'why; sealed like the facts');
  addKeys(command).action(async (dir: string, id: string, { disposition, by, why, ...options }: NoteOptions) => {
    const { addNote } = await import('../../audit/note.ts');
    const note = await withLog(placeOf(dir, options, io), (log) =>
      addNote(log, { decision: id, disposition, by, why }),
    );
    await write(io.stdout, `note ${note} recorded\n`);
    finish(EXIT.done);
  });
}

interface EraseOptions extends KeysOptions {
  readonly subject: string;
}

/** Adds `erase`. */
export function addErase(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('erase <dir>')
    .description('erase the keys of all records with a phone number, email or IP')
    .requiredOption('--subject <text>', 'the phone number, email or IP; - reads it from standard input');
  addKeys(command).action(async (dir: string, options: EraseOptions) => {
    const subject = await readSecret(options.subject, io, 'the subject');
    const { eraseSubject } = await import('../../audit/erase.ts');
    const place = placeOf(dir, options, io);
    const { records, before, plain, missing, torn } = await withLog(place, (log) => eraseSubject(log, subject));
    const lines = [
      `${count(records.length, 'record')} erased${before > 0 ? `, ${before} erased before` : ''}`,
      ...(torn > 0 ? [`${count(torn, 'unfinished record')} that a crash had cut off erased`] : []),
      ...(plain.length > 0 ? [`${count(plain.length, 'record')} in clear cannot be erased: prune the log`] : []),
      ...(missing.length > 0
        ? [
            `${count(missing.length, 'record')} whose key is not in the key folder: erased only if no copy of it is left`,
          ]
        : []),
      'What remains: the keyed hashes of the subject, outcomes, codes and times; and whatever copies of the key folder hold.',
    ];
    await write(io.stdout, `${lines.join('\n')}\n`);
    finish(plain.length > 0 || missing.length > 0 ? EXIT.found : EXIT.done);
  });
}
