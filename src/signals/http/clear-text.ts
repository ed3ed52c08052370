/** The address of the service -> whether everybody on the way to it could read what is sent. */

/** As a URL writes them: 127.1 and 0x7f000001 are 127.0.0.1 there. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Continues the name of the option. */
export const CLEAR_TEXT_PROBLEM = 'is http to another machine, which sends passwords and personal data in clear';

/** Whether a URL leads to another machine, without encryption. False for a text that is not a URL. */
export function isClearText(baseUrl: string): boolean {
  const { protocol, hostname } = URL.canParse(baseUrl) ? new URL(baseUrl) : {};
  return protocol === 'http:' && !LOOPBACK.test(hostname ?? '');
}
