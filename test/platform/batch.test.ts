import { describe, expect, it } from 'vitest';
import { Batches } from '../../src/platform/batch.ts';

/** Batches that are committed when the test calls `step`. */
function slow(options: { readonly gather?: boolean; readonly most?: number } = {}) {
  const begun: number[][] = [];
  let finish = (_: { readonly error?: Error }) => {};
  const batches = new Batches<number, string>(async (items) => {
    const taken = items.slice(0, options.most);
    begun.push([...taken]);
    const { error } = await new Promise<{ readonly error?: Error }>((resolve) => {
      finish = resolve;
    });
    if (error) throw error;
    return taken.map((item) => `done ${item}`);
  }, options);
  const turn = () => new Promise(setImmediate);
  const step = async (how: { readonly error?: Error } = {}) => {
    finish(how);
    await turn();
    await turn();
  };
  return { batches, begun, step, turn };
}

describe('batches', () => {
  it('take the items that arrive during a commit into the next batch, in order', async () => {
    const { batches, begun, step } = slow();
    const all = Promise.all([1, 2, 3].map((item) => batches.add(item)));
    await step();
    await step();
    expect(await all).toEqual(['done 1', 'done 2', 'done 3']);
    expect(begun).toEqual([[1], [2, 3]]);
    expect(batches.waiting).toBe(0);
  });

  it('with `gather` take all items of one turn into one batch', async () => {
    const { batches, begun, step, turn } = slow({ gather: true });
    const all = Promise.all([1, 2, 3].map((item) => batches.add(item)));
    await turn();
    await step();
    await all;
    expect(begun).toEqual([[1, 2, 3]]);
  });

  it('may commit a part of the items, and the rest next', async () => {
    const { batches, begun, step } = slow({ most: 2 });
    const all = Promise.all([1, 2, 3, 4].map((item) => batches.add(item)));
    for (let i = 0; i < 3; i++) await step();
    expect(await all).toEqual(['done 1', 'done 2', 'done 3', 'done 4']);
    expect(begun).toEqual([[1], [2, 3], [4]]);
  });

  it('start again after they were idle', async () => {
    const { batches, begun, step } = slow();
    for (const item of [1, 2]) {
      const result = batches.add(item);
      await step();
      expect(await result).toBe(`done ${item}`);
      await batches.idle();
    }
    expect(begun).toEqual([[1], [2]]);
  });

  it('fail all waiting and all later items after a failure', async () => {
    const { batches, begun, step } = slow();
    const all = [1, 2, 3].map((item) => batches.add(item).catch(String));
    expect(batches.waiting).toBe(3);
    await step({ error: new Error('full') });
    expect(await Promise.all(all)).toEqual(Array(3).fill('Error: full'));
    await expect(batches.add(4)).rejects.toThrow('full');
    expect(begun).toEqual([[1]]);
    expect(batches.failure).toEqual({ error: new Error('full') });
  });
});
