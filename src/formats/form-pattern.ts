/** A format -> the pattern that all of its forms match, for engines that cannot run its reader. */

import type { Format } from './format.ts';

const DOMAIN = '[a-z0-9]([a-z0-9.-]*[a-z0-9])?';
const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';

/**
 * Patterns of the whole text that JavaScript, RE2 and PostgreSQL read alike. They miss what only the reader knows, such
 * as `uk`, but most spellings that a text may have come in do not match.
 */
export const FORM_PATTERNS: Readonly<Record<Format, string>> = {
  phone: '[1-9][0-9]{6,14}',
  email: `[^@A-Z <>"(),:;]+@${DOMAIN}`,
  domain: DOMAIN,
  ip: `${OCTET}([.]${OCTET}){3}`,
  country: '[a-z]{2}',
};
