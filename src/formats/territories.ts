/** A location, or a country by another name than its code -> the alpha-2 code of its country. */

import { createRequire } from 'node:module';

// It takes 65 ms to load, so it is loaded with the first location; by `require`, because facts are read synchronously.
let loaded: typeof import('@rapideditor/country-coder') | undefined;

function countryCoder(): typeof import('@rapideditor/country-coder') {
  loaded ??= createRequire(import.meta.url)('@rapideditor/country-coder') as NonNullable<typeof loaded>;
  return loaded;
}

/** Undefined on the open sea and where no country is coded. */
export function countryAt(latitude: number, longitude: number): string | undefined {
  return officialCode(countryCoder().iso1A2Code([longitude, latitude], { level: 'territory' }) ?? undefined);
}

/** The code of a country by its alpha-3 or numeric code, its flag, English name or top-level domain; `UK` is GB. */
export function codeOf(text: string): string | undefined {
  return countryCoder().feature(text)?.properties.iso1A2;
}

/**
 * Codes that ISO 3166-1 reserves for parts of a country -> the code of the country. Libraries use them differently;
 * this makes them agree. Ascension, Tristan da Cunha; Ceuta and Melilla.
 */
const RESERVED_CODES: ReadonlyMap<string, string> = new Map([
  ['AC', 'SH'],
  ['TA', 'SH'],
  ['EA', 'ES'],
]);

/** The code of the country that a reserved code belongs to; any other code as it is. */
export function officialCode(code: string | undefined): string | undefined {
  return code === undefined ? undefined : (RESERVED_CODES.get(code) ?? code);
}
