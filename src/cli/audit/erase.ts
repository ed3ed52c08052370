/** `verdict audit erase`: a subject -> its records closed for good. */

import type { Command } from 'commander';
import { count } from '../../diagnostics.ts';
import { EXIT, type Io, write } from '../io.ts';
import type { Finish } from '../program.ts';
import { addKeys, type KeysOptions, placeOf, readSecret, withLog } from './place.ts';

interface Options extends KeysOptions {
  readonly subject: string;
}

/** Adds the command. */
export function addErase(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('erase <dir>')
    .description('erase the keys of all records with a phone number, email or IP')
    .requiredOption('--subject <text>', 'the phone number, email or IP; - reads it from standard input');
  addKeys(command).action(async (dir: string, options: Options) => {
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
