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

// +1 202 555 0100 to 0199 and +61 491 570 xxx are reserved for fiction (NANPA 555 line numbers; ACMA, numbers for
// use in radio, books, film and television); no country has the code 999 (ITU-T E.164). IP addresses are in the
// documentation ranges of RFC 5737, domains under `example` (RFC 2606).
const ROWS = [
  {
    name: 'clean',
    description: 'An active mobile, ported years ago; email and IP show little risk.',
    phoneNo: '12025550101',
    email: 'nora.whitfield@juniper-lane.example',
    ip: '203.0.113.11',
    outcome: 'accept',
  },
  {
    name: 'ported-risky-email',
    description: 'The number was ported 7 days ago and the email risk is high.',
    phoneNo: '12025550102',
    email: 'd.marsh@copper-kettle.example',
    ip: '203.0.113.12',
    outcome: 'review',
  },
  {
    name: 'voip-disposable',
    description: 'A VoIP number with an address at a disposable domain.',
    phoneNo: '12025550103',
    email: 'xk4471@mailinator.com',
    ip: '203.0.113.13',
    outcome: 'reject',
  },
  {
    name: 'dark-web',
    description: 'The address was found 9 times on the dark web, the last time 20 days ago; all else is clean.',
    phoneNo: '61491570156',
    email: 'tess.arkwright@bluegum-studio.example',
    ip: '198.51.100.21',
    outcome: 'review',
  },
  {
    name: 'never-ported',
    description: 'As clean, and the number never moved to another operator.',
    phoneNo: '61491570157',
    email: 'owen.castellan@saltbush-books.example',
    ip: '198.51.100.22',
    outcome: 'accept',
  },
  {
    name: 'ported-twice',
    description: 'The number was ported 19 and again 5 days ago; all else is clean.',
    phoneNo: '12025550104',
    email: 'imani.ferrow@maple-and-moss.example',
    ip: '203.0.113.14',
    outcome: 'review',
  },
  {
    name: 'young-domain',
    description: "A business's domain first seen 9 days ago, the address 6 days ago; phone and IP are clean.",
    phoneNo: '12025550105',
    email: 'accounts@brand-new-venture.example',
    ip: '203.0.113.15',
    outcome: 'review',
  },
  {
    name: 'abroad',
    description: 'A number of the United States, an IP in Singapore; all else is clean.',
    phoneNo: '12025550106',
    email: 'caleb.dunmore@riverside-joinery.example',
    ip: '192.0.2.31',
    outcome: 'review',
  },
  {
    name: 'source-down',
    description: 'The email source does not answer (its score of 0 means nothing); all else is clean.',
    phoneNo: '61491570158',
    email: 'priya.holloway@lantern-press.example',
    ip: '198.51.100.23',
    outcome: 'review',
  },
  {
    name: 'unknown-number',
    description: 'A number that fits no numbering plan and of which the service knows nothing; all else is clean.',
    phoneNo: '999123456789',
    email: 'jonas.pell@hawthorn-mill.example',
    ip: '192.0.2.32',
    outcome: 'review',
  },
  {
    name: 'composite-mismatch',
    description:
      'All clean, but asked with Global KYC the name is not the one on record (Amara Lindqvist, which would match).',
    phoneNo: '12025550107',
    email: 'amara.l@willow-dental.example',
    ip: '203.0.113.16',
    services: ['Global KYC'],
    variables: { firstName: 'Bianca', lastName: 'Okafor' },
    outcome: 'review',
  },
  {
    name: 'account-takeover',
    description:
      'Ported 3 days ago, prepaid, to another operator; email risk very high, 14 dark-web hits, IP in another country.',
    phoneNo: '61491570159',
    email: 'harriet.vance@fig-tree-legal.example',
    ip: '192.0.2.33',
    outcome: 'reject',
  },
] as const satisfies readonly Persona[];

/** The name of a persona. */
export type PersonaName = (typeof ROWS)[number]['name'];

/** The personas, in the order of the tutorial. */
export const PERSONAS: readonly (Persona & { readonly name: PersonaName })[] = ROWS;
