/** The applicants of a file are on record as if they had been decided then: replayed the same, with a sound log. */

import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { initAuditLog } from '../../../../src/audit/init.ts';
import { createAuditLog } from '../../../../src/audit/log.ts';
import { replayLog } from '../../../../src/audit/query/replay/replay.ts';
import { searchLog } from '../../../../src/audit/query/search.ts';
import { verifyLog } from '../../../../src/audit/verify/verify.ts';
import { decidePast } from '../../../../src/cli/commands/service/past.ts';
import type { Io } from '../../../../src/cli/io.ts';
import { loadMapping } from '../../../../src/facts/mapping/mapping.ts';
import { loadPolicy } from '../../../../src/policy/read/parse.ts';
import { temporaryFolder } from '../../../support/policy/policy.ts';

const POLICY = `policy: harbour
version: "7"
default: accept
timeZone: Europe/Berlin
facts:
  context.income: { type: number }
  context.ratio: { type: number, compute: { ratio: [phone.score, context.income] } }
velocity: { sameIp1h: { count: applications, by: ip, within: 1 hour } }
rules:
  - { id: poor, when: { context.income: { below: 1000 } }, then: reject }
  - { id: ratio, when: { context.ratio: { above: 0.09 } }, then: review }
  - { id: burst, when: { velocity.sameIp1h: { atLeast: 2 } }, then: review }
  - { id: ported, when: { phone.porting.portedDate: { withinLast: 30 days } }, then: review }
  - { id: voip, when: { phone.type: voip }, then: review }
`;

const COLUMNS =
  'at,disposition,applicant_phone_no,applicant_ip,context_income,phone_score,phone_type,phone_porting_ported_date';
const ROWS = Array.from({ length: 450 }, (_, i) => {
  const at = new Date(Date.UTC(2026, 9, 1, 22) + ((i * 7) % 450) * 50 * 60_000).toISOString();
  const income = i % 9 === 0 ? '' : 500 + (i % 50) * 100;
  const cells = [i % 4 === 0 ? 'approve' : '', `+4477009${String(i).padStart(5, '0')}`, `203.0.113.${i % 3}`, income];
  return [at, ...cells, i % 100, i % 5 === 0 ? 'voip' : 'mobile', i % 6 === 0 ? '2026-10-01' : '2020-01-01'].join();
});

test('what is decided of the past is replayed the same, in the order of its time, with what people said', async () => {
  const folder = temporaryFolder({ 'harbour.yaml': POLICY, 'past.csv': `${COLUMNS}\n${ROWS.join('\n')}\n` });
  const dir = join(folder, 'log');
  await initAuditLog({ dir });
  const log = await createAuditLog({ dir, mode: 'required' });
  const mapping = loadMapping();
  const policy = loadPolicy(join(folder, 'harbour.yaml'), { mapping });
  const stderr = new PassThrough();
  const means = { policy, mapping, log, reviewer: 'Rita <rita>' };
  await decidePast(join(folder, 'past.csv'), means, { stderr } as unknown as Io);
  await log.close();
  expect((await verifyLog({ dir })).findings).toEqual([]);
  expect(await replayLog({ dir })).toMatchObject({ problems: [] });
  const found = await searchLog({ dir }, {}, { limit: 1000 });
  const times = found.rows.map(({ at }) => at);
  expect(times).toHaveLength(450);
  expect(times).toEqual(times.toSorted().toReversed());
  const outcomes = Object.groupBy(found.rows, ({ outcome }) => outcome);
  for (const outcome of ['accept', 'review', 'reject'] as const) expect(outcomes[outcome]?.length).toBeGreaterThan(20);
});
