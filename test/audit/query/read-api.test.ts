/** What is on record, for programs: found by a query, and read by its id. */

import { expect, it } from 'vitest';
import { readRecord } from '../../../src/audit/query/decision-record.ts';
import { type SearchOptions, searchLog } from '../../../src/audit/query/search.ts';
import type { SearchQuery } from '../../../src/audit/read/criteria.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { createDecisionId } from '../../../src/decision/request.ts';
import { localVerifier, logFolder, personOf } from '../../support/audit/decisions.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

async function decided() {
  const folder = await logFolder();
  const audit = await folder.open();
  const policy = policyOf(`${HEAD}rules: [{ id: risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }]\n`);
  const decision = await createDecider({ policy, verify: localVerifier, audit }).decide(personOf(0));
  await audit.close();
  return { place: { dir: folder.dir, keys: folder.keys }, decision, policy };
}

it('an id that is not on record gives nothing, and one that no decision can have is refused', async () => {
  const { place } = await decided();
  expect(await readRecord(place, createDecisionId(Date.now()))).toBeUndefined();
  await expect(readRecord(place, 'A-1')).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
});

it.each<[string, object, object?]>([
  ['did you mean "outcomes"?', { outcome: ['accept'] }],
  ['undetermined has to be true or a list of texts', { undetermined: 'risk' }],
  ['did you mean "limit"?', {}, { limits: 1 }],
])('a query that cannot be used is refused: %s', async (said, query, options = {}) => {
  const { place } = await decided();
  const searching = searchLog(place, query as SearchQuery, options as SearchOptions);
  const message = expect.stringContaining(said);
  await expect(searching).rejects.toMatchObject({ code: 'REQUEST_INVALID', message });
});
