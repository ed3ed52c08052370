/** The personas of the sandbox: for each its identity variables and the outcome that the shipped policy gives. */

/** An invented person with fixed signals. */
export interface Persona {
  readonly name: string;
  readonly description: string;
  /** Digits with the country code, no plus. Valid, except for `unknown-number`, and never assigned to anyone. */
  readonly phoneNo: string;
  readonly email: string;
  readonly ip: string;
  /** The services to request in addition to the Core Intelligence Service. */
  readonly services?: readonly string[];
  /** Identity variables to send in addition to phone number, email and IP. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The outcome of the shipped onboarding policy for phone number, email and IP together. */
  readonly outcome: 'accept' | 'review' | 'reject';
}

const reachedAt = (phoneNo: string, email: string, ip: string) => ({ phoneNo, email, ip });

// +1 202 555 0100 to 0199 and +61 491 570 xxx are reserved for fiction (NANPA 555 line numbers; ACMA, numbers for
// use in radio, books, film and television); no country has the code 999 (ITU-T E.164). IP addresses are in the
// documentation ranges of RFC 5737, domains under `example` (RFC 2606).
const ROWS = [
  {
    name: 'clean',
    description: 'An active mobile, ported years ago; email and IP show little risk.',
    ...reachedAt('12025550101', 'nora.whitfield@juniper-lane.example', '203.0.113.11'),
    outcome: 'accept',
  },
  {
    name: 'ported-risky-email',
    description: 'The number was ported 7 days ago and the email risk is high.',
    ...reachedAt('12025550102', 'd.marsh@copper-kettle.example', '203.0.113.12'),
    outcome: 'review',
  },
  {
    name: 'voip-disposable',
    description: 'A VoIP number with an address at a disposable domain.',
    ...reachedAt('12025550103', 'xk4471@mailinator.com', '203.0.113.13'),
    outcome: 'reject',
  },
  {
    name: 'dark-web',
    description: 'The address was found 9 times on the dark web, the last time 20 days ago; all else is clean.',
    ...reachedAt('61491570156', 'tess.arkwright@bluegum-studio.example', '198.51.100.21'),
    outcome: 'review',
  },
  {
    name: 'never-ported',
    description: 'As clean, and the number never moved to another operator.',
    ...reachedAt('61491570157', 'owen.castellan@saltbush-books.example', '198.51.100.22'),
    outcome: 'accept',
  },
  {
    name: 'ported-twice',
    description: 'The number was ported 19 and again 5 days ago; all else is clean.',
    ...reachedAt('12025550104', 'imani.ferrow@maple-and-moss.example', '203.0.113.14'),
    outcome: 'review',
  },
  {
    name: 'young-domain',
    description: "A business's domain first seen 9 days ago, the address 6 days ago; phone and IP are clean.",
    ...reachedAt('12025550105', 'accounts@brand-new-venture.example', '203.0.113.15'),
    outcome: 'review',
  },
  {
    name: 'abroad',
    description: 'A number of the United States, an IP in Singapore; all else is clean.',
    ...reachedAt('12025550106', 'caleb.dunmore@riverside-joinery.example', '192.0.2.31'),
    outcome: 'review',
  },
  {
    name: 'source-down',
    description: 'The email source does not answer (its score of 0 means nothing); all else is clean.',
    ...reachedAt('61491570158', 'priya.holloway@lantern-press.example', '198.51.100.23'),
    outcome: 'review',
  },
  {
    name: 'unknown-number',
    description: 'A number that fits no numbering plan and of which the service knows nothing; all else is clean.',
    ...reachedAt('999123456789', 'jonas.pell@hawthorn-mill.example', '192.0.2.32'),
    outcome: 'review',
  },
  {
    name: 'composite-mismatch',
    description:
      'All clean, but asked with Global KYC the name is not the one on record (Amara Lindqvist, which would match).',
    ...reachedAt('12025550107', 'amara.l@willow-dental.example', '203.0.113.16'),
    services: ['Global KYC'],
    variables: { firstName: 'Bianca', lastName: 'Okafor' },
    outcome: 'review',
  },
  {
    name: 'account-takeover',
    description:
      'Ported 3 days ago, prepaid, to another operator; email risk very high, 14 dark-web hits, IP in another country.',
    ...reachedAt('61491570159', 'harriet.vance@fig-tree-legal.example', '192.0.2.33'),
    outcome: 'reject',
  },
] as const satisfies readonly Persona[];

/** The name of a persona. */
export type PersonaName = (typeof ROWS)[number]['name'];

/** The personas, in the order of the tutorial. */
export const PERSONAS: readonly (Persona & { readonly name: PersonaName })[] = ROWS;
