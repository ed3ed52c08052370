/** A literal or an entry, and the format of its fact -> the form in which values are compared, or a diagnostic. */

import { type Placement, readPart } from '../../../formats/example.ts';
import { fold, UNFOLDABLE } from '../../../formats/fold.ts';
import { type Format, readFormat } from '../../../formats/format.ts';
import { type IpBlock, readIpBlock } from '../../../formats/ip.ts';
import { reportAt, type Span } from '../../../platform/files/source.ts';

/** The fact that a text is compared with. */
interface ComparedFact {
  readonly path: string;
  readonly format: Format | undefined;
  /** Whether a CIDR block will do in place of an IP address. */
  readonly takesBlocks: boolean;
}

/** A text in the one form of its format, folded if there is none; undefined, with a diagnostic, if no value has it. */
export function readFormattedText(
  text: string,
  span: Span,
  fact: ComparedFact & { takesBlocks: false },
): string | undefined;
export function readFormattedText(text: string, span: Span, fact: ComparedFact): string | IpBlock | undefined;
export function readFormattedText(text: string, span: Span, { path, format, takesBlocks }: ComparedFact) {
  if (format === undefined) return readFolded(text, span);
  const isBlock = format === 'ip' && text.includes('/');
  const read = isBlock && takesBlocks ? readIpBlock(text) : readFormat(format, text);
  if ('first' in read) return read;
  if ('value' in read) return read.value;
  const hint =
    hintFor(text, path, format, read.mended) ??
    (isBlock && !takesBlocks ? 'for a block, write `in: [203.0.113.0/24]`' : undefined);
  const fix = read.mended === undefined ? undefined : { value: read.mended };
  return reportAt(span, 'wrong-format', `no value of ${path} equals this text: it ${read.problem}`, { hint, fix });
}

function readFolded(text: string, span: Span): string | undefined {
  const folded = fold(text);
  if (folded === undefined) return reportAt(span, 'wrong-value', `this text ${UNFOLDABLE}`);
  if (folded !== '') return folded;
  return reportAt(span, 'empty', 'this text has only invisible characters, which are dropped when texts are compared');
}

function hintFor(text: string, path: string, format: Format, mended: string | undefined): string | undefined {
  if (mended !== undefined) return `did you mean "${mended}"?`;
  if (format !== 'email' || path !== 'applicant.email') return undefined;
  // A domain, in the place of an address.
  const domain = readFormat('domain', text.replace(/^\*?@/, ''));
  return 'value' in domain ? `to ask about a domain, test applicant.emailDomain with "${domain.value}"` : undefined;
}

/** A text that is looked for in values, folded; undefined, with a diagnostic, if no value of the format has it. */
export function readNeedle(
  text: string,
  span: Span,
  { path, format, placement }: Omit<ComparedFact, 'takesBlocks'> & { readonly placement: Placement },
): string | undefined {
  const needle = readFolded(text, span);
  if (needle === undefined || format === undefined) return needle;
  const { example, meant } = readPart(format, needle, placement);
  if (example !== undefined) return needle;
  const message = `no value of ${path} ${VERBS[placement]} this text: ${FORMS[format]}`;
  return reportAt(span, 'wrong-format', message, {
    hint: meant === undefined ? undefined : `did you mean "${meant}"?`,
    fix: meant === undefined ? undefined : { value: meant },
  });
}

const VERBS: Readonly<Record<Placement, string>> = {
  startsWith: 'starts with',
  endsWith: 'ends with',
  contains: 'contains',
};

/** The one form of each format, for people. */
const FORMS: Readonly<Record<Format, string>> = {
  phone: 'a phone number is compared as its digits with the country code, such as 447400123456',
  email: 'an email address is compared as local-part@domain, with an ASCII domain',
  domain: 'a domain is compared in its ASCII form, such as mail.example',
  ip: 'an IP address is a public IPv4 address in dotted form',
  country: 'a country is compared by its ISO 3166-1 alpha-2 code, such as gb',
};
