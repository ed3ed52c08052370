/** Headers -> the same headers, which Node's debug output does not show. */

import { inspect } from 'node:util';

/** Headers that NODE_DEBUG does not print with the options of a request. */
export function hideHeaders<Headers extends object>(headers: Headers): Headers {
  return Object.defineProperty(headers, inspect.custom, { value: () => '[hidden]' });
}
