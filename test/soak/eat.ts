/**
 * The address of a service -> the error code of one call with an oversized answer, and the growth of this process
 * in bytes.
 */

import { naiveOf, openClient, requestOf, settle } from '../support/signals/clients.ts';

const [, , url = '', kind = 'verdict'] = process.argv;
const client = kind === 'naive' ? naiveOf({ url }) : openClient(url);

// A successful call first, so that memory that only the first call needs does not count.
await client.verify(requestOf('good'));
/** The highest memory use so far in bytes, which no sampling can miss. */
const peak = () => process.resourceUsage().maxRSS * 1024;
const before = peak();
const { error } = await settle(client.verify(requestOf('too much')));
const code = error instanceof Error && 'code' in error ? String(error.code) : error === undefined ? 'taken' : 'error';
process.send?.({ code, grewBy: peak() - before });
if ('close' in client && typeof client.close === 'function') client.close();
