/** A name that resolves to another address each time: a connection goes to the address that was checked. */

import { expect, test, vi } from 'vitest';
import { send } from '../../../src/service/webhooks/receiver.ts';
import { startReceiver } from '../../support/service/receiver.ts';

const found = vi.hoisted(() => ({ answers: [] as string[][], asked: 0 }));

vi.mock('node:dns', () => ({
  lookup: (_host: string, _options: object, tell: (error: null, found: object[]) => void) => {
    const addresses = found.answers[Math.min(found.asked, found.answers.length - 1)] ?? [];
    found.asked += 1;
    tell(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  },
}));

test('a name is resolved once for a request, and only its addresses that pass are connected to', async () => {
  const { url, arrived } = await startReceiver();
  const receiver = { name: 'cases', kinds: [], secrets: [Buffer.alloc(32, 7)], allow: ['127.0.0.1'] };
  const to = { ...receiver, url: new URL(url.replace('127.0.0.1', 'receiver.example')) };
  const sendOnce = () => send(to, 'an-id', '{}', AbortSignal.timeout(20_000));
  found.answers = [['10.0.0.1', '127.0.0.1', '169.254.169.254'], ['127.0.0.2'], ['8.8.8.8'], []];
  expect(await sendOnce()).toBeUndefined();
  expect([found.asked, arrived.length]).toEqual([1, 1]);
  for (const asked of [2, 3, 4]) {
    expect(await sendOnce()).toBe('ADDRESS_NOT_ALLOWED');
    expect([found.asked, arrived.length]).toEqual([asked, 1]);
  }
});
