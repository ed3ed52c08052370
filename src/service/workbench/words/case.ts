/** The sentences of the page of a case. */

import type { Reason } from '../../../decision/meaning/verdict.ts';
import { timeWords } from '../../../platform/files/times.ts';
import { RESERVED_CODES } from '../../../policy/language.ts';
import { count, groupedCount, joinWords } from '../../../text.ts';

/** `Ported and risky email`: what a code says, for people. */
function codeWords(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Of the codes that decided, the one that says the most: that of a rule before that of the score. */
export function leadingCode(codes: readonly string[]): string | undefined {
  return codes.find((code) => !RESERVED_CODES.includes(code)) ?? codes[0];
}

export const CASE = {
  hidden: 'Your roles do not show the decision.',
  /** The one reason that decides. */
  because: ({ because, code }: Pick<Reason, 'because' | 'code'>) => {
    if (because === 'default') return 'no rule decided';
    return because === 'undetermined' ? `not known: ${codeWords(code).toLowerCase()}` : codeWords(code);
  },
  age: (words: string) => words.replace(/ ago$/, ' old').replace(/^now$/, 'new'),
  kind: (queue: string, kind: string) => `${queue} · ${kind} case`,
  waiting: (n: number) => `${groupedCount(n, 'more case')} waiting`,
  says: 'the decision says ',
  points: 'Where the points come from',
  time: 'Time, UTC',
  foot: 'Personal values are masked. Who reveals them, and why, is on record.',
  parts: {
    ...{ why: 'Why a person is asked', applicant: 'The applicant', seen: 'Seen before', linked: 'Linked' },
    ...{
      decide: 'Your decision',
      rules: 'Rules that fired or are undetermined',
      more: 'More',
      history: 'What this case went through',
    },
  },

  resolved: (disposition: string | null) =>
    disposition === null
      ? 'It is closed: the decision was made again'
      : `It is resolved: ${disposition === 'decline' ? 'declined' : 'approved'}`,
  held: (who: string) => `${who} holds it.`,
  kept: (who: string) => `It is kept for ${who}.`,
  sleeps: (asked: string | null) =>
    asked === null
      ? 'It is on hold and comes back '
      : `The caller was asked for ${asked}. It comes back at the latest `,
  free: 'Nobody holds it.',
  take: 'Take this case',
  notYours: (why: string) => `You cannot take it: ${why}.`,
  holdUntil: (time: string) => `You hold it until ${time} UTC.`,

  what: 'What you decide',
  approve: 'Approve',
  decline: 'Decline',
  whyApprove: 'Why you approve',
  whyDecline: 'Why you decline',
  words: 'In your own words (w), beside a reason or in place of one; they stay in the log',
  record: 'Record the decision (Enter)',
  noAccident:
    'Choose, give a reason, then Enter: no key decides alone. It cannot be undone; a correction is a second note.',
  skip: 'Skip, not to me again (s)',
  back: 'Back to the queue (u)',

  hold: 'Put it on hold',
  until: 'It comes back to you',
  holdWhy: 'What you wait for; it goes on record',
  ask: 'Ask the caller',
  askFor: 'For what; the caller gets the code, and nothing about the applicant',
  askNow: 'Ask',
  escalate: 'Give it to another queue',
  queue: 'Queue',
  escalateWhy: 'Why; it goes on record',
  times: [
    [2, 'in 2 hours'],
    [4, 'in 4 hours'],
    [24, 'in a day'],
    [72, 'in 3 days'],
    [168, 'in a week'],
  ] as const,

  again: 'Nothing was recorded: you did not hold this case for a time. ',
  sendAgain: 'You hold it again, so send it once more.',
  lost: 'You no longer hold this case, so nothing was recorded. ',
  hasIt: (who: string) => `${who} has it now.`,
  chose: (disposition = 'nothing', reason = '') => `You chose: ${disposition}. ${reason}`,
  wrote: 'What you wrote',

  wholeRecord: 'The whole record of the decision, with its rules and what would change it',
  giveTo: 'Give it to',
  giveWhy: 'Why; it goes on record',
  give: 'Reassign',
  recheckWhy:
    'Why it is to be checked again. The reviewer may ask the verification service again, which may be billed.',
  recheck: 'Open a recheck',

  lanes: 'Other decisions that share something with this one, by keyed hash, over time',
  lane: ['Same', 'Before', 'Since', 'When'],
  thisOne: 'this one',
  nothingShared: (names: readonly string[]) =>
    names.length === 0 ? 'The record names nothing to compare.' : `Shared with no other decision: ${joinWords(names)}.`,
  drawn: (n: number, of: number) => `the newest ${n} of ${CASE.many(of)} are drawn`,
  seen: { before: 'Seen before: ', later: 'Seen since: ' },
  many: (n: number) => (n >= 1000 ? '1,000 or more' : String(n)),
  before: 'Before this decision',
  since: 'Since this decision: it had no part in it',
  furtherRows: (n: number) => `${count(n, 'more decision')}`,
  columns: ['Decision', 'Outcome', 'Shares', 'People said', 'Counted by', 'Case'],
  together: 'Decide this case and those that are chosen',
  togetherWhy: 'Why',
  reasonFor: (disposition: string, reason: string) => `${disposition}: ${reason}`,
  askFirst: 'Look at them together…',
  choose: 'Decide this one together with the others',
  sameReference: 'the same reference',
  erased: 'erased',
  caseOf: (state: string, holder: string | undefined) =>
    state === 'resolved' ? 'resolved' : holder === undefined ? 'open' : `${holder} has it`,
  /** What a velocity counted, and which of the rows below it means. */
  counted: (what: string, value: number | null, withinMs: number) =>
    value === null
      ? `${what} within ${timeWords(withinMs)}: none.`
      : `${what} within ${timeWords(withinMs)}: ${value}. `,
  marked: (n: number) => (n === 1 ? 'This one is marked below.' : `These ${n} are marked below.`),
  tooMany: (most: number) => `More than ${most} decisions share it: they are not marked.`,
  differs: (found: number | null, closed: number) =>
    `The log gives ${found ?? 'none'}: ${
      closed === 0
        ? 'what came at the same time, or before the log had these links, cannot be told.'
        : `${count(closed, 'decision')} that may have counted can no longer be read.`
    } `,
  nobody: (names: readonly string[]) => `Counted nobody: ${joinWords(names)}.`,
} as const;

/** What decisions share, by its name. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ phoneNo: 'phone number', email: 'email address', ip: 'IP address', mailbox: 'mailbox' },
  emailDomain: 'email domain',
};

export function sharedName(name: string, label?: string): string {
  if (name.startsWith('ip/')) return `network /${name.slice('ip/'.length)}`;
  return NAMES[name] ?? label ?? name.replace(/^context\./, '');
}
