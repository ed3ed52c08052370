/**
 * `child.ts OPTIONS FIRST LAST`: a process that rejects the applications from a number to another, several at a time,
 * each again and again until the store has it, and tells its parent what each was counted. `child.ts OPTIONS
 * REFERENCE`: one that tells its parent once it has counted the application, and never adds its outcome.
 */

import { createVelocityStore } from '../../../../src/stores/velocity/velocity.ts';
import { reject } from './rejecting.ts';

const [, , options = '', first = '', last] = process.argv;

const store = await createVelocityStore(JSON.parse(options));

async function rejectUntilKept(name: string): Promise<void> {
  for (;;) {
    const numbers = await reject(store, name);
    if (numbers === undefined) continue;
    process.send?.([name, numbers]);
    return;
  }
}

if (last === undefined) {
  const know = () => {
    process.send?.('counted');
    return new Promise<never>(() => {});
  };
  await reject({ ...store, know }, first);
}
const AT_ONCE = 8;
for (let next = Number(first); next < Number(last); next += AT_ONCE) {
  const names = Array.from({ length: Math.min(AT_ONCE, Number(last) - next) }, (_, i) => `${next + i}`);
  await Promise.all(names.map(rejectUntilKept));
}
await store.close();
process.disconnect();
