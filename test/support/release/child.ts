/**
 * `node test/support/release/child.ts DIR KEYS RULES`: a process that puts one release after another in force, and
 * prints a line for each that is: `active NUMBER`.
 */

import { createPublicKey } from 'node:crypto';
import { writeSync } from 'node:fs';
import { homeOfLog, openAuditLog } from '../../../src/audit/log.ts';
import { activate, addEvidence, beginSeries, propose, sayOf } from '../../../src/release/acts.ts';
import { readRules } from '../../../src/release/files.ts';
import { openReleases } from '../../../src/release/store.ts';
import { keysById } from '../../../src/release/trust.ts';

const [, , dir = '', keys = '', rules = ''] = process.argv;

/** Ends by itself if it is never killed. */
const MOST = 1000;

const log = await openAuditLog({ dir, keys });
const means = { log };
const series = await beginSeries(means);
const store = openReleases(homeOfLog(log));
const key = { key: createPublicKey(await store.signingKey()), uses: ['approve', 'activate'] as const };
const trust = { series, approvals: 1, keys: keysById([key]), evidenceDays: 7 };
const day = new Date().toISOString().slice(0, 'yyyy-MM-dd'.length);
const texts = readRules(rules);

writeSync(1, 'begun\n');
for (let i = 0; i < MOST; i++) {
  const files = { ...texts, 'number.txt': `${await store.nextNumber()}` };
  const asked = { files, mapping: 'signals.yaml', title: 'One after another', authors: ['ana@bank.example'] };
  const { number } = (await propose(means, asked)).manifest;
  await addEvidence(means, number, { day });
  await sayOf(means, number, trust, { by: 'ben@bank.example', verdict: 'approve' });
  await activate(means, number, trust, { by: 'ana@bank.example' });
  writeSync(1, `active ${number}\n`);
}
