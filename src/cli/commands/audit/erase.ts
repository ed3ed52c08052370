/** `verdict audit erase`: a subject -> its records closed for good. */

import type { Command } from 'commander';
import { count } from '../../../text.ts';
import type { Finish } from '../../io.ts';
import { EXIT, type Io, write } from '../../io.ts';
import { addKeys, type KeysOptions, logPlaceOf, readSecret, withLog } from '../../options/log-place.ts';

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
    const { eraseSubject } = await import('../../../audit/retain/erase.ts');
    const place = logPlaceOf(dir, options, io);
    const erased = await withLog(place, (log) => eraseSubject(log, subject));
    const { records, again, before, plain, missing, unopened, torn, unsearchable } = erased;
    const lines = [
      `${count(records.length, 'record')} erased${before > 0 ? `, ${before} erased before` : ''}`,
      ...(again > 0
        ? [
            `${again} of them had been erased before, and their keys were there again: was the key folder restored from a copy?`,
          ]
        : []),
      ...(torn > 0 ? [`${count(torn, 'unfinished record')} that a crash had cut off erased`] : []),
      ...(plain.length > 0 ? [`${count(plain.length, 'record')} in clear cannot be erased: prune the log`] : []),
      ...(missing.length > 0
        ? [
            `${count(missing.length, 'record')} whose key is not in the key folder: erased only if no copy of it is left`,
          ]
        : []),
      ...(unopened.length > 0
        ? [
            `${count(unopened.length, 'record')} not erased: the key that is named there does not open the body, and may be that of another record; verdict audit verify says more`,
          ]
        : []),
      ...(unsearchable > 0
        ? [
            `${count(unsearchable, 'record')} not looked at: their index key is not in the key folder, and nobody can tell whose they are`,
          ]
        : []),
      'What remains: the keyed hashes of the subject, outcomes, codes and times; and whatever copies of the key folder hold.',
    ];
    await write(io.stdout, `${lines.join('\n')}\n`);
    const isLeft = [plain, missing, unopened].some(({ length }) => length > 0) || unsearchable > 0;
    finish(isLeft ? EXIT.found : EXIT.done);
  });
}
