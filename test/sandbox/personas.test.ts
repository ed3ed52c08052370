/** The personas: invented, with valid numbers in the right country and the signals of their description. */

import { iso1A2Code } from '@rapideditor/country-coder';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { expect, test } from 'vitest';
import { CORE_SERVICE, PERSONAS, type Persona } from '../../src/sandbox/index.ts';
import { about, signalsOf, start, verify } from '../support/sandbox/ask.ts';

const NOW = Date.UTC(2026, 5, 15, 12);

function persona(name: string): Persona {
  const found = PERSONAS.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error('no such persona');
  return found;
}

async function ask({ phoneNo, email, ip, services = [], variables = {} }: Persona) {
  return verify(
    await start({ now: () => NOW }),
    about({ phoneNo, email, ip, ...variables }, [CORE_SERVICE, ...services]),
  );
}

async function signals(name: string) {
  return signalsOf(await ask(persona(name)));
}

test('there are a dozen, and no two share a name, number, email or IP', () => {
  expect(PERSONAS).toHaveLength(12);
  for (const field of ['name', 'phoneNo', 'email', 'ip'] as const) {
    expect(new Set(PERSONAS.map((row) => row[field])).size).toBe(12);
  }
});

test.each(PERSONAS)(
  'the number of $name is reserved for fiction, the IP for documentation',
  ({ name, phoneNo, email, ip }) => {
    const number = parsePhoneNumberFromString(`+${phoneNo}`);
    expect(number?.isValid() ?? false).toBe(name !== 'unknown-number');
    expect(phoneNo).toMatch(/^(1202555010\d|6149157015[6-9]|999\d+)$/);
    expect(email).toMatch(/(\.example|@mailinator\.com)$/);
    expect(ip).toMatch(/^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$/);
  },
);

test.each(PERSONAS)('the IP of $name is in the country of the number, except abroad', async (row) => {
  const place = signalsOf(await ask(row))?.['ip']?.['ipAddress']?.['geoLocation'];
  const country = iso1A2Code([Number(place?.['longitude']), Number(place?.['latitude'])], { level: 'territory' });
  const same = country === parsePhoneNumberFromString(`+${row.phoneNo}`)?.country;
  expect(country).toMatch(/^[A-Z]{2}$/);
  expect(same).toBe(!['abroad', 'account-takeover', 'unknown-number'].includes(row.name));
});

const CLEAN = {
  phone: {
    mobileNetworkOperator: { phoneType: 'mobile', status: 'active' },
    riskLevel: 'low',
    portingInformation: { portedDate: '2020-02-17', portingFraudRiskLevel: 'veryLow' },
  },
  email: {
    domain: { domainType: 'business', domainRiskLevel: 'low' },
    emailAddress: { status: 'valid', emailRiskLevel: 'veryLow' },
    behaviouralInsights: { tumblingRiskSignal: 0, activityScore: 8 },
    darkWeb: { hitCount: 0, lastHitDate: null, forumRating: 0 },
  },
};

test.each<[string, object]>([
  ['clean', CLEAN],
  [
    'ported-risky-email',
    {
      phone: { portingInformation: { portedDate: '2026-06-08', portingFraudRiskLevel: 'high' } },
      email: { ...CLEAN.email, emailAddress: { emailRiskLevel: 'high' }, behaviouralInsights: {} },
    },
  ],
  [
    'voip-disposable',
    {
      phone: { mobileNetworkOperator: { phoneType: 'voip' }, riskLevel: 'high' },
      email: {
        domain: { domainType: 'disposable', domainRiskLevel: 'veryHigh' },
        emailAddress: { emailRiskLevel: 'high' },
      },
    },
  ],
  [
    'dark-web',
    {
      phone: CLEAN.phone,
      email: { ...CLEAN.email, darkWeb: { hitCount: 9, lastHitDate: '2026-05-26', forumRating: 4 } },
    },
  ],
  [
    'never-ported',
    { ...CLEAN, phone: { ...CLEAN.phone, portingInformation: { portedDate: null, portingHistory: [] } } },
  ],
  [
    'ported-twice',
    {
      phone: {
        mobileNetworkOperator: { current: 'Brightwater Mobile', original: 'Northlink Cellular' },
        portingInformation: {
          portedDate: '2026-06-10',
          portingHistory: [
            { date: '2026-05-27', from: 'Northlink Cellular', to: 'Solent Wireless' },
            { date: '2026-06-10', from: 'Solent Wireless', to: 'Brightwater Mobile' },
          ],
        },
      },
      email: CLEAN.email,
    },
  ],
  [
    'young-domain',
    {
      phone: CLEAN.phone,
      email: {
        domain: { firstSeenDate: '2026-06-06', domainType: 'business', domainRiskLevel: 'medium' },
        emailAddress: { firstSeenDate: '2026-06-09' },
        darkWeb: CLEAN.email.darkWeb,
      },
    },
  ],
  ['abroad', CLEAN],
  ['source-down', { sourceStatuses: { email: 'Timeout', darkWeb: 'Successful' }, phone: CLEAN.phone }],
  [
    'unknown-number',
    {
      sourceStatuses: { phone: 'Successful' },
      phone: {
        mobileNetworkOperator: { current: null, original: null, phoneType: null, status: null },
        serviceType: null,
        riskLevel: null,
        portingInformation: { portedDate: null, portingHistory: null, portingFraudRiskLevel: null },
        overallScore: null,
      },
      email: CLEAN.email,
    },
  ],
  ['composite-mismatch', CLEAN],
  [
    'account-takeover',
    {
      phone: {
        mobileNetworkOperator: { current: 'Fernhill Cellular', original: 'Northlink Cellular' },
        serviceType: 'prepaid',
        portingInformation: { portedDate: '2026-06-12' },
      },
      email: {
        emailAddress: { emailRiskLevel: 'veryHigh' },
        darkWeb: { hitCount: 14, lastHitDate: '2026-06-09', forumRating: 5 },
      },
    },
  ],
])('%s has the signals that its description promises', async (name, expected) => {
  expect(await signals(name)).toMatchObject(expected);
});

test('composite-mismatch is verified under the name on record only', async () => {
  const row = persona('composite-mismatch');
  expect((await ask(row)).json).toMatchObject({ serviceResponses: { 'Global KYC': { identityVerified: false } } });
  const named = { ...row, variables: { firstName: 'Amara', lastName: 'Lindqvist' } };
  expect((await ask(named)).json).toMatchObject({ serviceResponses: { 'Global KYC': { identityVerified: true } } });
});

test('a persona with no name on record is verified under any name', async () => {
  const named = { ...persona('clean'), services: ['Global KYC'], variables: { firstName: 'Anyone' } };
  expect((await ask(named)).json['matchStatus']).toBe('Match');
});

test('any one variable of a persona gives its signals', async () => {
  const row = persona('account-takeover');
  const whole = await signals('account-takeover');
  const other = persona('clean');
  const phone = signalsOf(await ask({ ...other, phoneNo: row.phoneNo }));
  const email = signalsOf(await ask({ ...other, email: row.email }));
  const ip = signalsOf(await ask({ ...other, ip: row.ip }));
  expect([phone?.['phone'], email?.['email'], ip?.['ip']]).toEqual([whole?.['phone'], whole?.['email'], whole?.['ip']]);
});

test("another address at a persona's domain gets that domain's signals", async () => {
  const row = persona('young-domain');
  const colleague = signalsOf(await ask({ ...row, email: 'somebody.else@brand-new-venture.example' }));
  expect(colleague?.['email']?.['domain']).toEqual((await signals('young-domain'))?.['email']?.['domain']);
});
