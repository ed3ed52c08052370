/** Pollution of `Object.prototype`: by key, the value that would do the most harm. */

/** The target of hostile values: a listener that must not receive anything. */
export interface Evil {
  readonly url: string;
  readonly port: number;
}

/** Keys that axios, Node, the client, the engine or the normaliser could read by mistake. */
export function pollutionOf({ url, port }: Evil): Readonly<Record<string, unknown>> {
  const user = { username: 'evil', password: 'evil' };
  const headers = { 'X-Evil': 'evil', Authorization: 'Bearer evil' };
  const proxy = { protocol: 'http', host: '127.0.0.1', port, auth: user };
  const call = () => 'evil';
  return {
    // axios
    ...{ auth: user, baseURL: url, url, headers, params: { evil: 'evil' }, paramsSerializer: call, data: 'evil' },
    ...{ method: 'get', transformRequest: [call], transformResponse: [call], validateStatus: () => false, proxy },
    ...{ proxyEnv: { http_proxy: url, HTTP_PROXY: url }, socketPath: '/evil', adapter: 'fetch', maxRedirects: 5 },
    ...{ transport: { request: call }, beforeRedirect: call, responseType: 'text', responseEncoding: 'hex' },
    ...{ maxContentLength: 1, maxBodyLength: 1, decompress: false, xsrfCookieName: 'evil', withXSRFToken: true },
    ...{ common: headers, post: headers, httpVersion: 2, allowAbsoluteUrls: false, maxRate: 1, env: {}, family: 6 },
    ...{
      formSerializer: { visitor: call },
      transitional: { forcedJSONParsing: false },
      cancelToken: { reason: 'evil' },
    },
    // Node
    ...{ host: '127.0.0.1', hostname: '127.0.0.1', port, agent: false, httpAgent: false, localAddress: '192.0.2.1' },
    ...{ protocol: 'https:', defaultPort: port, setHost: false, Authorization: 'Bearer evil', cookie: 'evil=1' },
    ...{ insecureHTTPParser: true, rejectUnauthorized: false, joinDuplicateHeaders: true, createConnection: undefined },
    // The client: options, requests, answers, failures
    ...{
      baseUrl: url,
      environment: 'production',
      username: 'evil',
      password: 'evil',
      tokenPath: 'evil',
      token: 'evil',
    },
    ...{ sessionToken: 'evil', access_token: 'evil', tokenLifeMs: 1, maxBodyBytes: 1, maxAttempts: 9, now: () => 0 },
    ...{ resendAmbiguous: true, breakerFailures: 1, maxConcurrent: 1, maxQueued: 0, maxPerSecond: 1, attempts: 9 },
    ...{ phoneNo: '12025550101', email: 'evil@evil.example', ip: '8.8.8.8', countryCode: 'XX', services: ['evil'] },
    ...{
      variables: { evil: 'evil' },
      context: { evil: 'evil' },
      mapping: 'evil',
      clientReference: 'evil',
      body: 'evil',
      carriedOut: 'no',
      code: 'evil',
    },
    ...{ sent: false, status: 401, retryAfter: '1', waitMs: 1, again: 'safe', isDown: true },
    // The normaliser, facts, the engine
    ...{ searchStatus: 'Successful', serviceResponses: {}, returnedData: {}, phone: {}, riskLevel: 'low', score: 0 },
    ...{
      overallScore: 0,
      value: 'low',
      missing: 'notReturned',
      raw: 'evil',
      text: 'evil',
      origin: 'caller',
      at: 'evil',
    },
    ...{ type: 'string', kind: 'all', final: true, mode: 'shadow', shadow: true, outcome: 'accept', decisive: true },
    ...{ whenUnknown: 'ignore', points: -100, priority: 99, name: 'evil', params_: {}, event: { type: 'evil' } },
    ...{ operator: 'equal', fact: 'evil', result: true, conditions: { all: [] }, cache: true, toJSON: 'evil' },
  };
}

/** Keys that make json-rules-engine throw or break Node itself: no decision is fine then, a wrong one is not. */
export const BREAKING: Readonly<Record<string, unknown>> = {
  ...{ path: '$.evil', condition: 'evil', onSuccess: 'evil', onFailure: 'evil', all: [], any: [], not: {} },
  ...{
    almanac: {},
    success: true,
    failure: 'lost',
    0: 'evil',
    1: 'evil',
    timeout: 1,
    signal: 'evil',
    encoding: 'evil',
  },
  ...{ get: () => 'evil', set: () => {}, lookup: () => {}, length: 1 },
};
