/** A number as people write it -> the numbers that it may mean. */

/** Words after a number, and what they multiply it by: `m` may be a million, or a unit. */
const MULTIPLES: Readonly<Record<string, readonly number[]>> = {
  ...{ '': [1], k: [1e3], thousand: [1e3], tsd: [1e3], M: [1e6], m: [1e6, 1], mio: [1e6], mn: [1e6], million: [1e6] },
  ...{ bn: [1e9], mrd: [1e9], billion: [1e9] },
};

/** Numbers of English and of continental texts, by their sign of thousands and of decimals. */
const NUMERALS = [
  { form: /^[+-]?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$/, thousands: ',', decimals: '.' },
  { form: /^[+-]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$/, thousands: '.', decimals: ',' },
];

/** The numbers that a text may mean: in thousands, with signs between thousands, or with a decimal comma. */
export function amountsMeant(text: string): readonly number[] {
  const [, numeral = '', word = ''] = /^([+-]?\d[\d.,'’_ \u00a0\u202f]*)([A-Za-z]*)\.?$/.exec(text) ?? [];
  const known = [word, word.toLowerCase()].find((each) => Object.hasOwn(MULTIPLES, each));
  const multiples = known === undefined ? undefined : MULTIPLES[known];
  if (!multiples) return [];
  const bare = numeral.trim().replaceAll(/(?<=\d)['’_ \u00a0\u202f](?=\d{3}(?!\d))/g, '');
  const meant = NUMERALS.flatMap(({ form, thousands, decimals }) => {
    if (!form.test(bare)) return [];
    const amount = Number(bare.replaceAll(thousands, '').replace(decimals, '.'));
    // Without the error of the product.
    return multiples.map((times) => Number((amount * times).toPrecision(15)));
  });
  return [...new Set(meant)];
}

/** A number as YAML has it; undefined for a text that means none, or one of two. */
export function plainNumeral(text: string): string | undefined {
  if (/^-?\d+(\.\d+)?$/.test(text)) return text;
  const [one, other] = amountsMeant(text);
  return one === undefined || other !== undefined ? undefined : String(one);
}
