/** The option `proxy` and the environment -> the proxy that leads to the service. */

import { getProxyForUrl } from 'proxy-from-env';

/** The value of the option that lets the environment decide. */
const ENVIRONMENT = 'environment';

/** The option `proxy`; undefined if it is neither `environment` nor the URL of a proxy. */
export function readProxy(text: string): URL | typeof ENVIRONMENT | undefined {
  if (text === ENVIRONMENT) return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isProxy = url?.protocol === 'http:' || url?.protocol === 'https:';
  return isProxy && url.pathname === '/' && !/[?#]/.test(text) && isDecodable(url) ? url : undefined;
}

function isDecodable({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The proxy to a URL of the service; undefined if there is none. An http URL has none: it leads to this machine, as a
 * rule. `invalid` if the environment names a proxy that cannot be used.
 */
export function findProxy(option: URL | typeof ENVIRONMENT | undefined, baseUrl: string): URL | 'invalid' | undefined {
  if (option !== ENVIRONMENT) return option;
  if (!baseUrl.startsWith('https:')) return undefined;
  const found = getProxyForUrl(baseUrl);
  if (found === '') return undefined;
  // A proxy without `http://` is given that of the service; everybody else reads it as http.
  const isGiven = Object.values(process.env).includes(found);
  const proxy = readProxy(isGiven ? found : found.replace(/^https:/, 'http:'));
  return proxy instanceof URL ? proxy : 'invalid';
}
