/** The geodata of this package: libphonenumber's numbering plans, country-coder's borders. Loaded when first asked. */

import type { Geodata } from './geodata.ts';
import { countriesOfPrefix, numberingPlan } from './numbering-plan.ts';
import { countryAt } from './territories.ts';

export const WORLD: Geodata = { numberingPlan, countriesOfPrefix, countryAt };
