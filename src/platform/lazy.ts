/** Packages that take long to load -> loaded when they are first used, so that importing this library is fast. */

import { join } from 'node:path';
import { CodedCause, foreignCode, VerdictError } from '../errors.ts';

/**
 * A bundle of CommonJS has no URL; packages that it does not contain are loaded from the working folder. A bundler that
 * sees `createRequire` imported would look for what is loaded here.
 */
const load = lazy(() => {
  const { createRequire } = process.getBuiltinModule('node:module');
  return createRequire(import.meta.url ?? join(process.cwd(), 'bundle.js'));
});

const provided = new Map<string, unknown>();

/** Packages by name that are there already: those in a bundle. */
export function provide(packages: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(packages)) provided.set(name, content);
}

/**
 * Loads a package synchronously, because most code that needs one is synchronous. The caller names its type. Throws
 * CONFIGURATION_INVALID if the package is missing or broken.
 */
export function require<Package>(name: string): Package {
  try {
    return provided.has(name) ? (provided.get(name) as Package) : load()(name);
  } catch (error) {
    const code = foreignCode(error) ?? 'ERR_UNKNOWN';
    const message = `the package ${name} cannot be loaded (${code}): install verdict-engine and its dependencies`;
    throw new VerdictError('CONFIGURATION_INVALID', message, { cause: new CodedCause(code) });
  }
}

/**
 * Loads an optional package. The caller names its type. Rejects with CONFIGURATION_INVALID, which says how to install
 * it. `need`: what needs it, such as `people need`.
 */
export async function loadOptional<Package>(name: string, version: number, need: string): Promise<Package> {
  return (import(/* webpackIgnore: true */ name) as Promise<Package>).catch(() => {
    const how = `it is an optional package: npm install ${name}@${version}`;
    throw new VerdictError('CONFIGURATION_INVALID', `${need} ${name}, which cannot be loaded; ${how}`);
  });
}

/** The file of a package. Throws what Node throws if it is not there. */
export function findFile(name: string): string {
  return load().resolve(name);
}

/** A function that makes a value at its first call, and then returns the same one. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
