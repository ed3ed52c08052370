/** The sentences of Home. */

import { grouped, groupedCount } from '../../../text.ts';

/** `+2.1`; a rise of a share in points. */
const points = (share: number) => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`;

export const HOME = {
  title: 'Home',
  now: 'Now',
  today: 'What is seen most today: networks, domains, phone numbers',
  progress: (entries: number, bytesLeft: number) =>
    `The index of the log is being made: ${groupedCount(entries, 'entry')} so far, ` +
    `${(bytesLeft / 1_000_000).toFixed(1)} MB of the log to go. This page fills itself.`,
  decisions: (n: number) => `${groupedCount(n, 'decision')} in the last 30 days.`,
  unchanged: 'No policy changed in them.',
  rate: 'Review rate ',
  nothingBefore: 'Nothing was decided before it, so it cannot be compared.',
  before: (rate: string) => `, in the 30 days before it ${rate}`,
  tooFew: (now: number, before: number) => `. Too few to tell: ${grouped(now)} and ${grouped(before)} decisions.`,
  change: (by: number, least: number, most: number) =>
    `: ${points(by)} points (${points(least)} to ${points(most)} with 95 % confidence${
      least <= 0 && most >= 0 ? ', so it may be chance' : ''
    }).`,
  noneRose: 'No rule fires more often by more than chance.',
  risen: 'The rule that fires more often than before: ',
  by: (share: number) => `, ${points(share)} points.`,
  chart: 'Accept, review and reject by day, 30 days',
  chartTitle: 'Share of the decisions of each day by outcome',
  unknown: 'Unknown, by source, 7 days',
  unknownTitle: 'Share of decisions in which facts of a source were missing',
  nothingUnknown: 'Nothing was missing.',
  unknownDoes: 'A rule whose facts are missing is undetermined, and asks for review unless its policy says otherwise.',
  saved: 'Not asked, since the decision needed no more: ',
  /** By the group of facts that a source brings. */
  sources: {
    applicant: 'Data of the applicant',
    context: 'Facts of your own',
    email: 'Email',
    'email.address': 'Email address',
    'email.behaviour': 'Use of the email address',
    'email.darkWeb': 'Dark web hits of the email',
    'email.domain': 'Email domain',
    identity: 'Match of name and number',
    ip: 'IP address',
    'ip.location': 'Location of the IP address',
    phone: 'Phone number',
    'phone.operator': 'Operator of the phone number',
    'phone.porting': 'Porting of the phone number',
    velocity: 'Counts of earlier applications',
  } as Readonly<Record<string, string>>,
  noPast: 'no decision then',
  rising: ' ▲ rising',
  waiting: 'Cases that are waiting',
  noneWaiting: 'No case is waiting.',
  notYet: 'no decision yet',
  inDoubt: (count: number) =>
    `${count === 1 ? '1 reference is' : `${count < 100 ? count : '100 or more'} references are`} in doubt: the call ` +
    'may have been billed, and no decision is on record. Who sends it again gets ',
  theProblem: 'the problem, with what to do',
  divided: (name: string, words: string) => `Of ${name}, ${words}.`,
  incomplete: (policy: string, day: string) =>
    `Counts of policy ${policy} are complete from ${day}; until then it asks for review where they matter.`,
  ending: (name: string, n: number) =>
    `List ${name} has ${n} ${n === 1 ? 'entry that ends' : 'entries that end'} within 7 days.`,
  broken: (name: string, since: string) => `The file of policy ${name} has been broken since ${since}.`,
  refused: (why: string) => `The release in force stays: ${why}.`,
  unconfirmed: (since: string) => `Since ${since} somebody else should have confirmed the release in force.`,
} as const;
