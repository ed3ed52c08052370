/** Run by a test with NODE_DEBUG: calls through a proxy with every secret that a client can have. */

import { createVerifyClient } from '../../../src/signals/client.ts';

const { options, request } = JSON.parse(process.argv[2] ?? '{}');
const client = createVerifyClient(options);
await client.verify(request);
await client.close();
process.stdout.write('done\n');
