/** The Punycode of a label, without its `xn--` -> the label (RFC 3492, section 6.2). */

const [BASE, T_MIN, T_MAX, SKEW, DAMP, INITIAL_BIAS, INITIAL_CODE] = [36, 1, 26, 38, 700, 72, 0x80];

/** Undefined for a text that is not the Punycode of any label. */
export function decodePunycode(text: string): string | undefined {
  const end = text.lastIndexOf('-');
  const codePoints = [...text.slice(0, Math.max(end, 0))].map((letter) => letter.codePointAt(0) ?? 0);
  let [code, at, bias] = [INITIAL_CODE, 0, INITIAL_BIAS];
  for (let index = end + 1; index < text.length; ) {
    const before = at;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(text[index++]);
      if (digit === undefined) return undefined;
      at += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const count = codePoints.length + 1;
    bias = adapt(at - before, count, before === 0);
    code += Math.floor(at / count);
    at %= count;
    if (code > 0x10ffff) return undefined;
    codePoints.splice(at++, 0, code);
  }
  return String.fromCodePoint(...codePoints);
}

function digitOf(letter: string | undefined): number | undefined {
  const digit = letter === undefined ? -1 : 'abcdefghijklmnopqrstuvwxyz0123456789'.indexOf(letter);
  return digit < 0 ? undefined : digit;
}

/** RFC 3492, section 6.1. */
function adapt(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
