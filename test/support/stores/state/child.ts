/** `child.ts DIR`: a process that shares the references of a folder, and makes the calls that its parent sends. */

import { openSqlite, readReferencesKey } from '../../../../src/stores/state/state-sqlite.ts';
import type { Asked } from './processes.ts';

const [, , dir = ''] = process.argv;

const [secret, references] = await Promise.all([readReferencesKey(dir), openSqlite({ dir, rememberMs: 60_000 })]);

process.on('message', async ({ requests = [], answer }: Asked) => {
  const claims = await Promise.all(requests.map((request) => references.claim(request)));
  for (const [i, { state }] of claims.entries()) {
    const { key = '', decision = '' } = requests[i] ?? {};
    if (state === 'granted' && answer !== undefined) await references.finish(key, decision, answer);
  }
  process.send?.(claims);
});
process.send?.(secret.toString('hex'));
