/** Invitations in every home of the state: one of two who use a link gets in, and who is revoked has no session. */

import { expect, test } from 'vitest';
import { createInvitations } from '../../../src/service/auth/invitations.ts';
import { createSessions } from '../../../src/service/auth/sessions.ts';
import { openState } from '../../../src/stores/state/state.ts';
import { stateHomes } from '../../support/stores/state/homes.ts';
import { PostgresServer } from '../../support/stores/state/postgres.ts';

const HOMES = stateHomes(PostgresServer.shared());

test.each(HOMES)('$title', async ({ isThere, newPlace, query }) => {
  if (!isThere) return;
  const place = await newPlace();
  const [state, other] = [
    await openState({ ...place, rememberMs: 60_000 }),
    await openState({ ...place, rememberMs: 60_000 }),
  ];
  const [here, there] = [createInvitations(state), createInvitations(other)];
  const secret = await here.invite('Rita Okoye', ['review']);
  const both = await Promise.all([here.redeem(secret), there.redeem(secret)]);
  expect(both.filter(Boolean)).toEqual([
    { display: 'Rita Okoye', subject: 'invited Rita Okoye', name: 'Rita Okoye <invited>', roles: ['review'] },
  ]);
  const sessions = createSessions(other);
  const cookie = await sessions.begin(both.find(Boolean) as NonNullable<(typeof both)[number]>);
  expect(await there.list()).toMatchObject([{ name: 'Rita Okoye', usedAt: expect.any(Number), hasExpired: false }]);
  expect([await there.stands(secret), await here.revoke('Rita Okoye'), await here.revoke('Rita Okoye')]).toEqual([
    true,
    true,
    false,
  ]);
  expect([await there.stands(secret), await sessions.find(cookie)]).toEqual([false, undefined]);
  const late = await here.invite('Raj Patel', ['read']);
  await query(place, `update invitations set made_at = made_at - ${7 * 86_400_000}`);
  expect(await here.list()).toMatchObject([{ name: 'Raj Patel', usedAt: null, hasExpired: true }]);
  expect(await there.redeem(late)).toBeUndefined();
  await Promise.all([state.close(), other.close()]);
});
