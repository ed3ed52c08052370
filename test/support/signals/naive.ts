/** The client that most would write first: axios as it comes, a token in a header, tries again as axios-retry does. */

import axios, { isAxiosError } from 'axios';
import type { VerifyRequest } from '../../../src/signals/request.ts';

/** What such a client is given. */
export interface NaiveOptions {
  readonly baseUrl: string;
  readonly username: string;
  readonly password: string;
  /** The one limit that axios knows. */
  readonly timeoutMs?: number;
}

/** Tries beyond the first; axios-retry has 3. */
const RETRIES = 3;

/** Creates one; it stands wherever a verify client does. */
export function createNaiveClient({ baseUrl, username, password, timeoutMs = 10_000 }: NaiveOptions) {
  const post = (path: string, body: object, headers = {}) =>
    axios.post(`${baseUrl}/api/v2/${path}`, body, { headers, timeout: timeoutMs });
  let token: string | undefined;

  return {
    /** Sends one request, or more of them. */
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

/** The risk of the email address as a naive caller reads it off an answer. */
export function naiveEmailScore(body: unknown): unknown {
  const answer = body as {
    serviceResponses: Record<string, { returnedData: { email: { emailAddress: { emailScore: unknown } } } }>;
  };
  return answer.serviceResponses['Core Intelligence Service']?.returnedData.email.emailAddress.emailScore;
}

/** Again after any failure of the network, any 5xx and 429: with axios-retry, `isNetworkError || isRetryableError`. */
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
