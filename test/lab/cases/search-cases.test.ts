/** The search for cases: goals on days, one batch after the other. */

import { describe, expect, it } from 'vitest';
import { VerdictError } from '../../../src/errors.ts';
import { type Batch, searchCases, type Unreached } from '../../../src/lab/cases/search-cases.ts';

type Answers = Readonly<Record<string, Readonly<Record<string, 'reached' | Unreached>>>>;

/** Searches by answers for each day and goal; gives what was asked, too. */
async function searched(answers: Answers, batches: Iterable<Batch<string>>, reached: readonly string[] = []) {
  const asked: string[] = [];
  const found = await searchCases<string>({
    batches,
    isReached: (goal) => reached.includes(goal),
    prepare: async (day) => async (goal) => {
      asked.push(`${goal} on ${day}`);
      return answers[day]?.[goal] ?? 'open';
    },
  });
  return { unreached: Object.fromEntries(found.unreached), unproved: found.unproved, asked };
}

describe('searchCases', () => {
  it('seeks on a further day what no case reaches on the first, and not what is reached or withheld', async () => {
    const first = { a: 'unreachable', b: 'reached', c: 'withheld', d: 'open' } as const;
    const { unreached, asked } = await searched({ monday: first, tuesday: { a: 'reached', d: 'unreachable' } }, [
      { goals: ['a', 'b', 'c', 'd'], days: ['monday', 'tuesday'] },
    ]);
    expect(asked.slice(4)).toEqual(['a on tuesday', 'd on tuesday']);
    expect(unreached).toEqual({ c: 'withheld', d: 'open' });
  });

  it('calls unreachable what is proved for every day', async () => {
    const all = { monday: { a: 'unreachable' }, tuesday: { a: 'unreachable' } } as const;
    const { unreached } = await searched(all, [{ goals: ['a'], days: ['monday', 'tuesday'] }]);
    expect(unreached).toEqual({ a: 'unreachable' });
  });

  it('does not seek what a case for another goal reaches', async () => {
    const { unreached, asked } = await searched({}, [{ goals: ['a', 'b'], days: ['monday'] }], ['a']);
    expect([unreached, asked]).toEqual([{ b: 'open' }, ['b on monday']]);
  });

  it('makes the batches to their end without the solver, and says that nothing is proved', async () => {
    let made = 0;
    function* batches(): Generator<Batch<string>> {
      for (; made < 3; made++) yield { goals: ['a'], days: ['monday'] };
    }
    const prepare = () => Promise.reject(new VerdictError('CONFIGURATION_INVALID', 'no solver'));
    const { unproved } = await searchCases<string>({ batches: batches(), isReached: () => false, prepare });
    expect([made, unproved]).toEqual([3, 'no solver']);
  });
});
