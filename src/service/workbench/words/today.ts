/** The sentences of what is counted most today. */

import { groupedCount } from '../../../text.ts';

export const TODAY = {
  title: 'Seen most today',
  lead: (n: number, isAll: boolean) =>
    isAll
      ? `${groupedCount(n, 'decision')} since midnight, UTC.`
      : `Of the newest ${groupedCount(n, 'decision')} since midnight, UTC.`,
  nothing: 'Nothing is in two of them.',
  names: {
    phoneNo: 'Phone numbers',
    email: 'Email addresses',
    mailbox: 'Mailboxes',
    ip: 'IP addresses',
    emailDomain: 'Email domains',
  } as Readonly<Record<string, string>>,
  other: (name: string) => (name.startsWith('ip/') ? `Networks of IP addresses, /${name.slice('ip/'.length)}` : name),
  title2: (what: string) => `${what} that are in most decisions; personal values are masked`,
  columns: ['Value', 'Decisions', 'Review', 'Reject', 'The last of them'],
} as const;
