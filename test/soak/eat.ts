/** A process of its own that makes one call whose answer is too much -> what came of it, and by how many bytes the process grew. */

import { naiveOf, openClient, requestOf, settle } from '../support/signals/clients.ts';

const [, , url = '', kind = 'verdict'] = process.argv;
const client = kind === 'naive' ? naiveOf({ url }) : openClient(url);

// A call that goes well first: what only the first one needs is not counted.
await client.verify(requestOf('good'));
/** In bytes; the most that it ever was, which no sample can miss. */
const peak = () => process.resourceUsage().maxRSS * 1024;
const before = peak();
const { error } = await settle(client.verify(requestOf('too much')));
const code = error instanceof Error && 'code' in error ? String(error.code) : error === undefined ? 'taken' : 'error';
process.send?.({ code, grewBy: peak() - before });
if ('close' in client && typeof client.close === 'function') client.close();
