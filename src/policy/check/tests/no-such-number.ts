/** Phone numbers that no numbering plan has, in literals and list entries -> warnings. */

import { readFormat } from '../../../formats/format.ts';
import type { Check } from '../context.ts';
import { comparedTexts } from './compared-texts.ts';

export function checkNumbers(check: Check): void {
  const { geodata } = check;
  if (!geodata) return;
  for (const { text, span, format } of comparedTexts(check)) {
    const read = format === 'phone' ? readFormat(format, text) : undefined;
    if (!read || !('value' in read) || geodata.numberingPlan(read.value) !== undefined) continue;
    const message = "no numbering plan has this phone number, so it is nobody's";
    check.warn(span, 'no-such-number', message, 'expected the country code and all digits, like +44 7400 123456');
  }
}
