/**
 * `child.ts OPTIONS FIRST LAST`: a process that counts the applications of a value from a number to another, several at
 * a time, each again and again until the store takes it, and tells its parent what each was counted.
 */

import { createVelocityStore } from '../../../src/velocity/velocity.ts';
import { counting } from './counting.ts';

const [, , options = '', first, last] = process.argv;

const store = await createVelocityStore(JSON.parse(options));

async function count(name: string): Promise<void> {
  for (;;) {
    const numbers = await store.count(counting(store, name, 'shared')).catch(() => undefined);
    if (!numbers) continue;
    process.send?.([name, numbers[0]]);
    return;
  }
}

const AT_ONCE = 8;
for (let next = Number(first); next < Number(last); next += AT_ONCE) {
  const names = Array.from({ length: Math.min(AT_ONCE, Number(last) - next) }, (_, i) => `${next + i}`);
  await Promise.all(names.map(count));
}
await store.close();
process.disconnect();
