/**
 * Without its keys the log shows nothing of an applicant in any form, and the search for such values finds planted
 * ones.
 */

import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyLog } from '../../src/audit/verify/verify.ts';
import { findForms, lookForCanaries } from '../support/audit/canaries.ts';
import { temporaryFolder } from '../support/policy/policy.ts';

describe('a log', () => {
  it('holds no phone number, email, IP, reference, context value, note, event or raw value of any applicant', async () => {
    const root = temporaryFolder();
    const { dir, values, errors, found } = await lookForCanaries({ root, decisions: 300 });
    expect(found).toEqual([]);
    expect(values).toBe(300 * 8);
    // Invalid notes, events, erasures and decisions, and one decision after the log was closed.
    expect(errors).toBe(6 * 6 + 1);
    const { findings, chains } = await verifyLog({ dir, keys: join(root, 'keys') });
    expect(findings).toEqual([]);
    expect(chains).toMatchObject([{ decisions: 300, notes: 6, events: 6, erasures: 2 }]);
  });

  it('holds them if it is plain', async () => {
    const { found } = await lookForCanaries({ root: temporaryFolder(), decisions: 3, pii: 'plain' });
    expect(found).toEqual(['00000001.ndjson: plain']);
  });
});

describe('the search for values', () => {
  const PHONE = '447700900123';
  const EMAIL = 'Nora.kestrel.00123@plover.example';
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const hashed = (name: string, text: string) => createHash(name).update(text);

  it.each<[string, string]>([
    ['plain', `{"phone":"+${PHONE}"}`],
    ['plain', EMAIL.toUpperCase()],
    ['hex', Buffer.from(`to ${EMAIL}`).toString('hex')],
    ['base64', base64(PHONE)],
    ['base64', base64(`12${PHONE}`)],
    ['sha256 without a key', hashed('sha256', EMAIL.toLowerCase()).digest('base64')],
    ['md5 without a key', hashed('md5', EMAIL).digest('hex')],
  ])('finds a value as %s', (form, text) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), `{"before":"${'ab'.repeat(40)}",`);
    expect(findForms(folder, [PHONE, EMAIL])).toEqual([]);
    appendFileSync(join(folder, 'file'), `"x":"${text}"}`);
    expect(findForms(folder, [PHONE, EMAIL])).toEqual([`file: ${form}`]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('finds a value in the name of a file', () => {
    const folder = temporaryFolder({ [`torn-${PHONE}`]: '' });
    expect(findForms(folder, [PHONE])).toEqual([`torn-${PHONE}: plain`]);
  });
});
