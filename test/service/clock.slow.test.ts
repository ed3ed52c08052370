/** A clock that is set back neither repeats a decision nor forgets one. */

import { expect, test, vi } from 'vitest';
import { startTestService } from '../support/service/running.ts';

test('a clock that is set back a day repeats nothing, and forgets nothing', async () => {
  const { decide, sandbox } = await startTestService({ audit: true });
  const first = await decide('A-1');
  const now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => now - 86_400_000);
  try {
    expect((await decide('A-1')).body).toEqual(first.body);
    const earlier = await decide('A-2');
    expect(earlier.body['decidedAt']).toBe(new Date(now - 86_400_000).toISOString());
    vi.restoreAllMocks();
    expect((await decide('A-2')).body).toEqual(earlier.body);
  } finally {
    vi.restoreAllMocks();
  }
  expect(sandbox.counts.verifies).toBe(2);
});
