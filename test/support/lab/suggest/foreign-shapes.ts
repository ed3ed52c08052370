/** A shape and a way to fail -> an answer of an invented vendor in which one of five sources failed, or none. */

type Json = Record<string, unknown>;

/** The data of each source when all goes well, and the facts that they tell. */
const DATA: Readonly<Record<SourceName, Json>> = {
  'phone-intel': { phoneType: 'mobile', phoneRiskLevel: 'low', phoneScore: 12, operatorCurrent: 'Tern Mobile' },
  'number-portability': {
    portCount: 2,
    lastPortDate: '2019-03-14',
    portingHistory: [{ date: '2015-06-02' }, { date: '2019-03-14' }],
    portingRiskLevel: 'low',
  },
  'email-insight': {
    emailStatus: 'valid',
    emailRiskLevel: 'low',
    emailFirstSeen: '2014-01-02',
    domainType: 'corporate',
  },
  'dark-web': { hitCount: 1, lastHit: '2020-01-02' },
  'ip-geo': { latitude: 51.5, longitude: -0.125, isp: 'Heron Broadband' },
};

export const FACTS_OF: Readonly<Record<SourceName, readonly string[]>> = {
  'phone-intel': ['phone.type', 'phone.riskLevel', 'phone.score', 'phone.operator.current'],
  'number-portability': ['phone.porting.portCount', 'phone.porting.portedDate', 'phone.porting.riskLevel'],
  'email-insight': ['email.address.status', 'email.address.riskLevel', 'email.address.firstSeen', 'email.domain.type'],
  'dark-web': ['email.darkWeb.hitCount', 'email.darkWeb.lastHit'],
  'ip-geo': ['ip.location.latitude', 'ip.location.longitude', 'ip.isp'],
};

export type SourceName = 'phone-intel' | 'number-portability' | 'email-insight' | 'dark-web' | 'ip-geo';
export const SOURCE_NAMES = Object.keys(FACTS_OF) as SourceName[];

/** What a failed source leaves in its fields. */
export const LEFTOVERS = {
  nulls: () => null,
  zeros: (value: unknown) => {
    if (typeof value === 'number') return 0;
    if (Array.isArray(value)) return [];
    return /^\d/.test(String(value)) ? null : value;
  },
  'old values': (value: unknown) => value,
} as const satisfies Record<string, (value: unknown) => unknown>;

/** How a source says that it answered, or failed. */
const STATUSES = {
  status: (ok) => ({ status: ok ? 'OK' : 'TIMEOUT' }),
  state: (ok) => ({ state: ok ? 'completed' : 'unavailable' }),
  success: (ok) => ({ success: ok }),
  'a word unheard of': (ok) => ({ status: ok ? 'SUCCESS' : 'E_4711' }),
  'null or an error': (ok) => ({ error: ok ? null : { code: 504, retryable: false } }),
  'a list of errors': (ok) => ({ errors: ok ? [] : [{ code: 504 }] }),
  'an error code': (ok) => ({ errorCode: ok ? 0 : 504, errorMessage: ok ? '' : 'upstream' }),
  'a flag of failure': (ok) => ({ timed_out: !ok }),
  'a flag of failure in words': (ok) => ({ lookupFailed: ok ? 'no' : 'yes' }),
  'status and error': (ok) => ({ status: ok ? 'ok' : 'failed', error: ok ? null : { code: 504 } }),
} as const satisfies Record<string, (ok: boolean) => Json>;

type Parts = readonly { readonly name: SourceName; readonly status: Json; readonly data: Json }[];

const camel = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const byName = (parts: Parts, of: (part: Parts[number]) => unknown) =>
  Object.fromEntries(parts.map((part) => [camel(part.name), of(part)]));

/** Where the status of a part is. */
const SHAPES = {
  'a list of sources': (parts) => ({ sources: parts.map(({ name, status, data }) => ({ name, ...status, data })) }),
  'a list in which each source has its fields beside its status': (parts) => ({
    results: parts.map(({ name, status, data }) => ({ source: name, ...status, ...data })),
  }),
  'a list with the status in a map of its own': (parts) => ({
    results: parts.map(({ name, status, data }) => ({ source: name, meta: status, data })),
  }),
  sections: (parts) => byName(parts, ({ status, data }) => ({ ...status, ...data })),
  'sections in a wrapper': (parts) => ({
    response: { ok: true, body: byName(parts, ({ status, data }) => ({ ...status, result: data })) },
  }),
  'a map of statuses apart': (parts) => ({
    statuses: byName(parts, ({ status }) => Object.values(status)[0]),
    ...byName(parts, ({ data }) => data),
  }),
  'a map of maps with statuses apart': (parts) => ({
    serviceStatuses: byName(parts, ({ status }) => ({ ...status, ms: 12 })),
    data: byName(parts, ({ data }) => data),
  }),
  'a list of statuses apart': (parts) => ({
    checks: parts.map(({ name, status }) => ({ source: camel(name), ...status })),
    data: byName(parts, ({ data }) => data),
  }),
} as const satisfies Record<string, (parts: Parts) => Json>;

export const SHAPE_NAMES = Object.keys(SHAPES) as (keyof typeof SHAPES)[];
export const STATUS_NAMES = Object.keys(STATUSES) as (keyof typeof STATUSES)[];

/** The statuses that are words, so that a map of them alone says which source failed. */
const WORDED: readonly string[] = ['status', 'state', 'success', 'a word unheard of', 'status and error'];

/** Every shape with every status that goes with it. */
export const LOOKS = SHAPE_NAMES.flatMap((shape) =>
  STATUS_NAMES.flatMap((status) =>
    shape === 'a map of statuses apart' && !WORDED.includes(status) ? [] : [{ shape, status }],
  ),
);
export const LEFTOVER_NAMES = Object.keys(LEFTOVERS) as (keyof typeof LEFTOVERS)[];

/** How an answer looks, and what failed in it. */
export interface ForeignAnswer {
  readonly shape: (typeof SHAPE_NAMES)[number];
  readonly status: (typeof STATUS_NAMES)[number];
  readonly failed?: SourceName;
  readonly leftover?: (typeof LEFTOVER_NAMES)[number];
}

export function foreignAnswer({ shape, status, failed, leftover = 'nulls' }: ForeignAnswer): unknown {
  const parts = SOURCE_NAMES.map((name) => ({
    name,
    status: STATUSES[status](name !== failed),
    data: name === failed ? emptied(DATA[name], LEFTOVERS[leftover]) : DATA[name],
  }));
  return { requestId: 'r-1', outcome: 'OK', ...SHAPES[shape](parts) };
}

function emptied(data: Json, leftover: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, leftover(value)]));
}
