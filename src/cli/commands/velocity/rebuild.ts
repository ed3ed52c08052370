/** `verdict velocity rebuild`: a log and a policy -> the store, as if it had counted every decision on record. */

import type { Command } from 'commander';
import type { VelocityStore } from '../../../decision/velocity-store.ts';
import { count } from '../../../text.ts';
import { addPolicyFiles, loadPolicyFiles } from '../../input/load-policy.ts';
import { EXIT, type Io, UsageError } from '../../io.ts';
import { logPlaceOf } from '../../options/log-place.ts';
import { addStore, storeOptions, withVelocity } from '../../options/velocity-store.ts';
import { endWith } from '../../result.ts';

export function addRebuild(velocity: Command, io: Io): void {
  const command = velocity
    .command('rebuild')
    .description('add what the decisions on record under a policy would have counted; again, no change');
  addStore(addPolicyFiles(command)).action(async (options) => {
    const { log } = options;
    if (log === undefined) throw new UsageError('no log to rebuild from: give --log');
    const store = await storeOptions(options, io);
    const policy = await loadPolicyFiles(options);
    const { rebuildStore } = await import('../../../stores/velocity/rebuild.ts');
    const rebuild = (opened: VelocityStore) =>
      rebuildStore(logPlaceOf(log, options, io), { store: opened, policy, now: Date.now() });
    const rebuilt = await withVelocity(store, rebuild, true);
    const { decisions, closed } = rebuilt;
    const more = closed > 0 ? `${count(closed, 'decision')} erased or without a key: not counted\n` : '';
    const text = () => `${count(decisions, 'decision')} of ${policy.name} counted\n${more}`;
    await endWith(io, options, { data: () => rebuilt, text, exitCode: closed > 0 ? EXIT.found : EXIT.done });
  });
}
