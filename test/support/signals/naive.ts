/** A naive client, as most would write first: plain axios, a token in a header, retries like axios-retry. */

import axios, { isAxiosError } from 'axios';
import type { VerifyRequest } from '../../../src/signals/request.ts';

/** The options of a naive client. */
export interface NaiveOptions {
  readonly baseUrl: string;
  readonly username: string;
  readonly password: string;
  /** The only time limit of axios. */
  readonly timeoutMs?: number;
}

/** Retries after the first attempt; the default of axios-retry is 3. */
const RETRIES = 3;

/** Creates a naive client with the interface of a verify client. */
export function createNaiveClient({ baseUrl, username, password, timeoutMs = 10_000 }: NaiveOptions) {
  const post = (path: string, body: object, headers = {}) =>
    axios.post(`${baseUrl}/api/v2/${path}`, body, { headers, timeout: timeoutMs });
  let token: string | undefined;

  return {
    /** Sends a request, and retries it. */
    verify: (request: VerifyRequest): Promise<{ body: unknown; requested: readonly [] }> =>
      retry(async () => {
        token ??= (await post('auth/sign_in', { username, password })).data.sessionToken;
        const { clientReference, phoneNo, email, ip } = request;
        const digits = phoneNo.replace(/\D/g, '');
        const body = {
          ...{ countryCode: 'Global', clientReference, service: ['Core Intelligence Service'] },
          identityVariables: { phoneNo: digits, ...(email && { email }), ...(ip && { ip }) },
        };
        const { data } = await post('verify', body, { Authorization: `Bearer ${token}` });
        return { body: data, requested: [] };
      }),
  };
}

/** The email risk, as a naive caller reads it from an answer. */
export function naiveEmailScore(body: unknown): unknown {
  const answer = body as {
    serviceResponses: Record<string, { returnedData: { email: { emailAddress: { emailScore: unknown } } } }>;
  };
  return answer.serviceResponses['Core Intelligence Service']?.returnedData.email.emailAddress.emailScore;
}

/** Retries after any network failure, any 5xx and 429: `isNetworkError || isRetryableError` in axios-retry. */
async function retry<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (tries === RETRIES || !isAxiosError(error) || error.code === 'ECONNABORTED') throw error;
      const status = error.response?.status ?? 500;
      if (status < 500 && status !== 429) throw error;
    }
  }
}
