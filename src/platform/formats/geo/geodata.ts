/** A phone number -> its numbering plan; a location -> its country: the interface. */

/** The numbering plan that a phone number fits. */
export interface NumberingPlan {
  /** The ISO 3166-1 alpha-2 code; undefined for numbers of no country, such as +800. */
  readonly country: string | undefined;
}

/** Looks up what the facts `phone.valid`, `phone.country` and `ip.country` are derived from. */
export interface Geodata {
  /** The plan of a number of E.164 digits, without a `+`; undefined if no plan has the number. */
  numberingPlan(digits: string): NumberingPlan | undefined;
  /**
   * The ISO 3166-1 alpha-2 codes of all countries that have numbers with these first digits, or more of them. Without
   * it, checks say less about phone numbers.
   */
  countriesOfPrefix?(digits: string): readonly string[];
  /** The ISO 3166-1 alpha-2 code of the country; undefined on the open sea and where no country has a code. */
  countryAt(latitude: number, longitude: number): string | undefined;
}
