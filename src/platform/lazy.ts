/** Packages that take long to load -> loaded when they are first used, so that importing this library is fast. */

import { createRequire } from 'node:module';

/** Loads a package synchronously, because most code that needs one is synchronous. The caller names its type. */
export const require: <Package>(name: string) => Package = createRequire(import.meta.url);

/** A function that makes a value at its first call, and then returns the same one. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
