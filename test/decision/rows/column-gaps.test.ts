/** Which columns of a file nobody reads, and what each may mean. */

import { describe, expect, it } from 'vitest';
import { findUnread, type WantedColumn } from '../../../src/decision/rows/column-gaps.ts';

const WANTED: readonly WantedColumn[] = [
  ['applicant_ip', 'applicant.ip'],
  ['velocity_same_ip1h', 'velocity.sameIp1h'],
  ['email_address_score', 'email.address.score'],
  ['phone_score', 'phone.score'],
  ['context_date_of_birth_never', 'context.dateOfBirth.never'],
  ['client_reference', 'client_reference'],
];

const unreadOf = (...names: string[]) => findUnread(names, (name) => name === 'ip_isp', WANTED);

describe('a column that no fact has', () => {
  it.each([
    ['other separators', 'velocity_same_ip_1h', ['velocity_same_ip1h']],
    ['other case', 'clientReference', ['client_reference']],
    ['the path of a fact', 'Velocity.SameIp1h', ['velocity_same_ip1h']],
    ['the end of a path', 'ip', ['applicant_ip']],
    ['the end of a path, in several parts', 'address score', ['email_address_score']],
    ['the end of several paths', 'score', ['email_address_score', 'phone_score']],
    ['a letter more', 'phone_scores', ['phone_score']],
    ['two letters in turn', 'context_date_of_birth_nevre', ['context_date_of_birth_never']],
    ['another thing', 'branch_code', []],
    ['a wanted one with a part more', 'context_date_of_brith', []],
    ['few letters', 'i', []],
  ])('with %s: %s', (_, column, meant) => {
    expect(unreadOf(column)).toEqual([{ column, meant }]);
  });

  it('is none if it is read, belongs to rows, or begins with an underscore', () => {
    expect(unreadOf('ip_isp', 'at', 'Client_Reference', 'outcome', 'disposition', '_loaded_at')).toEqual([]);
  });

  it('has its letters compared in a file of ten thousand, where no effort is left for similar ones', () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `measured_by_warehouse_${i}`);
    const wanted = Array.from({ length: 500 }, (_, i): WantedColumn => [`measured_by_context_${i}`, `context.f${i}`]);
    const unread = findUnread([...names, 'f7', 'measured_by_contxt_7'], () => false, wanted);
    expect(unread).toHaveLength(10_002);
    expect(unread.slice(-2)).toEqual([
      { column: 'f7', meant: ['measured_by_context_7'] },
      { column: 'measured_by_contxt_7', meant: [] },
    ]);
  });
});
