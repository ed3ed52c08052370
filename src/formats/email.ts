/** An email address in any spelling -> its folded local part, @, and the ASCII form of its domain. */

import { trimWhiteSpace } from '../text.ts';
import { asciiForm } from './domain.ts';
import { fold } from './fold.ts';
import type { FormatReading } from './format-reading.ts';

/** RFC 5321, sections 4.5.3.1.1 and 4.5.3.1.3, without the angle brackets. */
const MAX_LOCAL = 64;
const MAX_LENGTH = 254;

/**
 * A dot-string (RFC 5321, section 4.1.2); beyond ASCII (RFC 6531, section 3.3) letters, marks and digits alone. No
 * mailbox has a `*`, which policies of other systems take for any text.
 */
const DOT_STRING = /^[\p{L}\p{M}\p{N}!#$%&'+\-/=?^_`{|}~]+(?:\.[\p{L}\p{M}\p{N}!#$%&'+\-/=?^_`{|}~]+)*$/u;

/** Reads an address as SMTP writes it; no display name, comment or quoted local part. */
export function readEmail(text: string): FormatReading {
  const trimmed = trimWhiteSpace(text);
  if (trimmed.length > MAX_LENGTH) return { problem: `is longer than ${MAX_LENGTH} characters` };
  if (/[\s\p{Cc}]/u.test(trimmed)) return { problem: 'contains white space or control characters' };
  const [local = '', domain, more] = trimmed.split('@');
  if (domain === undefined) return { problem: 'has no @' };
  if (more !== undefined) return { problem: 'has more than one @' };
  if (local === '' || domain === '') return { problem: 'has nothing before or after the @' };
  if (local.length > MAX_LOCAL) return { problem: `has more than ${MAX_LOCAL} characters before the @` };
  const folded = DOT_STRING.test(local) ? fold(local) : undefined;
  // Full-width letters and their like would be another spelling of the same address.
  if (folded === undefined || folded === '' || folded.normalize('NFKC') !== folded) {
    return { problem: 'has characters before the @ that no address has there' };
  }
  const ascii = asciiForm(domain);
  return ascii === undefined ? { problem: 'has no domain after the @' } : { value: `${folded}@${ascii}` };
}
