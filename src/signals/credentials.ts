/** The options of the account -> user name and password for a sign-in, fixed or given by a function of the caller. */

import { ownCopy, ownValue } from '../given/read-given.ts';
import { askCaller, type Given } from './ask.ts';
import type { Credentials } from './options.ts';
import type { Settings } from './read-options.ts';

/** The credentials of a client. */
export interface CredentialSource {
  /** The credentials for a sign-in. Never rejects. */
  ask(signal: AbortSignal): Promise<Given<Credentials>>;
  /** The secrets of the latest sign-in. */
  latest(): readonly string[];
}

/** Creates the source. A function has half of the deadline of a call, so that its failure is named before that. */
export function createCredentials({ username, password, credentials, timeoutMs }: Settings): CredentialSource {
  let latest = username === undefined ? undefined : { username, password };
  return {
    async ask(signal) {
      if (credentials === undefined && latest !== undefined) return { fault: undefined, value: latest };
      const own = async () => ownCopy(await credentials?.());
      const { fault, value } = await askCaller('credentials', own, signal, timeoutMs / 2);
      if (fault !== undefined) return { fault };
      const [user, secret] = [ownValue(value, 'username'), ownValue(value, 'password')];
      if (!isText(user) || !isText(secret)) {
        const text = '`credentials` has to give an object with the texts username and password';
        return { fault: { text, mayRecover: false } };
      }
      latest = { username: user, password: secret };
      return { fault: undefined, value: latest };
    },
    latest: () => (latest ? [latest.username, latest.password] : []),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
