/** A number as people write it -> the numbers that it may mean. */

/** Words after a number, and what they multiply it by. */
const MULTIPLES: Readonly<Record<string, number>> = {
  ...{ '': 1, k: 1e3, thousand: 1e3, tsd: 1e3, mio: 1e6, mn: 1e6, million: 1e6, bn: 1e9, mrd: 1e9, billion: 1e9 },
};

/** Numbers of English and of continental texts, by their sign of thousands and of decimals. */
const NUMERALS = [
  { form: /^[+-]?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$/, thousands: ',', decimals: '.' },
  { form: /^[+-]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$/, thousands: '.', decimals: ',' },
];

/** The numbers that a text may mean: in thousands, with signs between thousands, or with a decimal comma. */
export function amountsMeant(text: string): readonly number[] {
  const [, numeral = '', word = ''] = /^([+-]?\d[\d.,'’_ \u00a0\u202f]*)([A-Za-z]*)\.?$/.exec(text) ?? [];
  const times = Object.hasOwn(MULTIPLES, word.toLowerCase()) ? MULTIPLES[word.toLowerCase()] : undefined;
  if (times === undefined) return [];
  const bare = numeral.trim().replaceAll(/(?<=\d)['’_ \u00a0\u202f](?=\d{3}(?!\d))/g, '');
  const meant = NUMERALS.flatMap(({ form, thousands, decimals }) => {
    if (!form.test(bare)) return [];
    // Without the error of the product.
    return Number((Number(bare.replaceAll(thousands, '').replace(decimals, '.')) * times).toPrecision(15));
  });
  return [...new Set(meant)];
}
