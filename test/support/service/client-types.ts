/** `client-types.ts FILE`: prints the types of a client, as openapi-typescript makes them from an OpenAPI document. */

import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// It works with the API of TypeScript 5, which later versions do not have.
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-5.4' : specifier, context),
});
const { astToString, default: typesOf } = await import('openapi-typescript');
const [, , file = ''] = process.argv;
process.stdout.write(astToString(await typesOf(JSON.parse(readFileSync(file, 'utf8')))));
