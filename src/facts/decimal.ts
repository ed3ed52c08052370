/**
 * Doubles -> their results as a person computes them: with the numbers as they are written, and rounded once, to the
 * nearest double. Greater operands never give a lesser result, so that ends of ranges have the ends of the results.
 * The same in SQL: decision/sql/computed-facts.ts.
 */

/** From here on doubles are whole numbers, and not all of them: sums are those of doubles. */
export const LARGEST_DECIMAL = 2 ** 53;

/** The decimal places that count in sums. A column DECIMAL(38, 21) holds the sum of two numbers below 2^53. */
export const PLACES = 21;

/** 1000.10 + 0.20 is 1000.30. */
export function exactSum(one: number, other: number): number {
  const areDecimals = Math.abs(one) < LARGEST_DECIMAL && Math.abs(other) < LARGEST_DECIMAL;
  if (!areDecimals || areWhole(one, other)) return one + other;
  const [a, b] = [hundredths(one), hundredths(other)];
  if (a !== undefined && b !== undefined) return (a + b) / 100;
  return Number(`${unitsOf(one) + unitsOf(other)}e-${PLACES}`);
}

/** 1.1 times 1.1 is 1.21. */
export function exactProduct(one: number, other: number): number {
  const product = one * other;
  if (!Number.isFinite(product) || areWhole(one, other, product)) return product;
  const [a, b] = [partsOf(one), partsOf(other)];
  return Number(`${a.digits * b.digits}e${a.exponent + b.exponent}`);
}

/** 300.30 divided by 100.10 is 3. */
export function exactRatio(one: number, other: number): number {
  const ratio = one / other;
  if (other === 0 || !Number.isFinite(one) || !Number.isFinite(other) || areWhole(one, other)) return ratio;
  const [a, b] = [hundredths(one), hundredths(other)];
  if (a !== undefined && b !== undefined) return a / b;
  const [over, under] = [partsOf(one), partsOf(other)];
  const shifted = over.digits * SHIFT;
  // A further digit says whether any follows, so that no number seems to be in the middle of two doubles.
  const rest = shifted % under.digits === 0n ? 0 : 1;
  const sign = ratio < 0 ? '-' : '';
  const digits = shifted / under.digits;
  const exponent = over.exponent - under.exponent - RATIO_DIGITS - 1;
  return Number(`${sign}${digits < 0n ? -digits : digits}${rest}e${exponent}`);
}

/** More digits tell no ratio of two doubles from the middle of two others. */
export const RATIO_DIGITS = 38;
const SHIFT = 10n ** BigInt(RATIO_DIGITS);

/** Whole numbers of which doubles have all: the result of doubles is the nearest already. */
function areWhole(...numbers: readonly number[]): boolean {
  return numbers.every(Number.isSafeInteger);
}

/** A number in hundredths; undefined if it has more than two decimal places, or more than 15 digits. */
function hundredths(number: number): number | undefined {
  const count = Math.round(number * 100);
  // A number of up to 15 digits is the shortest that is read as its double.
  return count / 100 === number && Math.abs(count) < 1e15 ? count : undefined;
}

/** How many digits parts have: those of a double, and one more. */
export const DIGITS = 18;

/** The shortest decimal that is read as a number: its digits, filled up with zeros, and their power of ten. */
function partsOf(number: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = '', exponent] = Math.abs(number).toExponential().split('e');
  const digits = BigInt(mantissa.replace('.', '').padEnd(DIGITS, '0'));
  return { digits: number < 0 ? -digits : digits, exponent: Number(exponent) - DIGITS + 1 };
}

/** A number in units of the last place that counts in sums, rounded half away from zero, as databases do. */
function unitsOf(number: number): bigint {
  const { digits, exponent } = partsOf(number);
  const zeros = PLACES + exponent;
  if (zeros >= 0) return digits * 10n ** BigInt(zeros);
  const unit = 10n ** BigInt(-zeros);
  return (2n * digits + (digits < 0n ? -unit : unit)) / (2n * unit);
}
