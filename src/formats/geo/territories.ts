/** A location -> the alpha-2 code of its country. */

import type * as CountryCoder from '@rapideditor/country-coder';
import { lazy, require } from '../../platform/lazy.ts';

/** The package with the borders. */
export const coder = lazy(() => require<typeof CountryCoder>('@rapideditor/country-coder'));

/** Undefined on the open sea and where no country is coded. */
export function countryAt(latitude: number, longitude: number): string | undefined {
  return coder().iso1A2Code([longitude, latitude], { level: 'territory' }) ?? undefined;
}
