/** A location -> the alpha-2 code of its country. */

import { createRequire } from 'node:module';

// It takes 65 ms to load, so it is loaded with the first location; by `require`, because facts are read synchronously.
let loaded: typeof import('@rapideditor/country-coder') | undefined;

/** Undefined on the open sea and where no country is coded. */
export function countryAt(latitude: number, longitude: number): string | undefined {
  loaded ??= createRequire(import.meta.url)('@rapideditor/country-coder') as NonNullable<typeof loaded>;
  return loaded.iso1A2Code([longitude, latitude], { level: 'territory' }) ?? undefined;
}
