/** `verdict audit note`: what a person did after a decision -> an entry in the log. */

import { type Command, Option } from 'commander';
import type { VelocityStore } from '../../../decision/velocity-store.ts';
import { DISPOSITIONS } from '../../../policy/language.ts';
import { type Io, say } from '../../io.ts';
import { addJson } from '../../options/arguments.ts';
import { addKeys, logPlaceOf, withIndex, withLog } from '../../options/log-place.ts';
import { addVelocity, velocityOptions, withVelocity } from '../../options/velocity-store.ts';
import { endWith } from '../../result.ts';

export function addNoteCommand(audit: Command, io: Io): void {
  const command = audit
    .command('note <log> <id>')
    .description('record what a person did after a decision')
    .addOption(new Option('--disposition <what>', 'what the person did').choices(DISPOSITIONS).makeOptionMandatory())
    .requiredOption('--by <name>', 'who did it; encrypted like the facts')
    .requiredOption('--why <text>', 'why; encrypted like the facts');
  addJson(addVelocity(addKeys(command))).action(async (dir, id, { disposition, by, why, ...options }) => {
    const { addNote } = await import('../../../audit/query/note.ts');
    const { countNote } = await import('../../../audit/query/seen.ts');
    const place = logPlaceOf(dir, options, io);
    const store = velocityOptions(options, io, place);
    const decision = id.toLowerCase();
    const record = (velocity?: VelocityStore) =>
      withLog(place, (log) =>
        withIndex(place, io, async (index) => {
          const added = await addNote({ log, ...(index ? { index } : {}), decision, disposition, by, why });
          try {
            if (velocity) await countNote({ place, index, decision, velocity });
          } catch (error) {
            await say(io.stderr, `verdict: note ${added} is recorded, and not counted\n`);
            throw error;
          }
          return added;
        }),
      );
    // A store that cannot be used is noticed before anything is recorded.
    const note = await (store ? withVelocity(store, record) : record());
    await endWith(io, options, { data: () => ({ note }), text: () => `note ${note} recorded\n` });
    if (!store && (disposition === 'fraud' || disposition === 'genuine')) {
      await say(io.stderr, 'note: no velocity store counts this; see --velocity\n');
    }
  });
}
