/** `child.ts DIR KEYS`: a process with a chain of its own, which adds the notes that its parent sends. */

import { createAuditLog } from '../../../../src/audit/log.ts';
import { addNote } from '../../../../src/audit/query/note.ts';
import { VerdictError } from '../../../../src/errors.ts';

/** A note to be added, by its id. */
export interface AskedNote {
  readonly decision: string;
  readonly id: string;
}

const [, , dir = '', keys = ''] = process.argv;

const log = await createAuditLog({ dir, keys, segmentBytes: 8000 });

process.on('message', async (notes: readonly AskedNote[]) => {
  const added: string[] = [];
  // At once, so that the other process writes its notes while this one looks for them.
  const add = async (note: AskedNote) => {
    const said = { log, disposition: 'approve', by: 'an analyst', why: 'called back' } as const;
    // Its decision may be pruned.
    const refused = await addNote({ ...said, ...note }).catch((error: unknown) => error);
    if (!(refused instanceof VerdictError)) added.push(note.id);
    else if (refused.code !== 'REQUEST_INVALID') throw refused;
  };
  await Promise.all(notes.map(add));
  process.send?.(added);
});
process.on('disconnect', () => log.close());
process.send?.([]);
