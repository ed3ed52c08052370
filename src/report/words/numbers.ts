/** Numbers, shares and amounts of counted applicants -> words. */

import type { Range } from '../../lab/backtest/label-counts.ts';

export function oneDigit(n: number): string {
  return n.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** `+3.1`; nothing has no sign. */
export function signed(n: number, digits = 0): string {
  const format = { signDisplay: 'exceptZero', minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
  return n.toLocaleString('en', format);
}

/** `1.7%`; a small share is not shown as none, and none is one of nothing. */
export function percent(n: number, all: number): string {
  if (all === 0) return '–';
  const share = (100 * n) / all;
  return n > 0 && share < 0.1 ? '<0.1%' : `${share.toFixed(1)}%`;
}

/** An amount of money, or its range: `1,240.5 to 3,600`. */
export function amountRange({ least, most }: Range, format: Intl.NumberFormatOptions = {}): string {
  const [one = '', other] = [least, most].map((sum) =>
    sum.toLocaleString('en', { maximumFractionDigits: 2, ...format }),
  );
  return one === other ? one : `${one} to ${other}`;
}

/** An amount that is more or less, with its range: `-1,240.5 to +36`. */
export function signedRange(range: Range): string {
  return amountRange(range, { signDisplay: 'exceptZero' });
}

/** `2.7 to 62.3%`. */
export function rangeWords(range: Range | undefined): string {
  if (!range) return '–';
  const [least, most] = [range.least, range.most].map((share) => (100 * share).toFixed(1));
  return least === most ? `${least}%` : `${least} to ${most}%`;
}
