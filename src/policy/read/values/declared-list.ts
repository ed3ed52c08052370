/** The entries of a list, or a literal -> the form in which values of its fact are compared, or a diagnostic. */

import { reportAt, type Span } from '../../../platform/files/source.ts';
import { asciiForm, domainWithin } from '../../../platform/formats/domain.ts';
import { type Placement, readPart } from '../../../platform/formats/example.ts';
import { fold, UNFOLDABLE } from '../../../platform/formats/fold.ts';
import { type Format, readFormat } from '../../../platform/formats/format.ts';
import { blockMeant, type IpBlock, readIpBlock } from '../../../platform/formats/ip.ts';
import { mailboxOf } from '../../../platform/formats/mailbox.ts';
import { isPublicSuffix } from '../../../platform/formats/public-suffix.ts';
import { trimWhiteSpace } from '../../../text.ts';
import { type BlockEntry, IpBlocks, isIpBlock, type NamedList } from '../../arguments.ts';
import { keepEntryStarts } from '../../source-map.ts';
import { entryMeant } from '../mistakes/lists.ts';

/** An entry as written; `until` is the last day on which it counts. */
export interface WrittenEntry {
  readonly value: string;
  readonly until?: string;
  readonly note?: string;
  readonly owner?: string;
  /** Whether it may be a public suffix. */
  readonly suffix?: boolean;
}

/** An entry as written, without the keys that it lacks. */
export function writtenEntry(
  value: string,
  about: Readonly<Record<'until' | 'note' | 'owner', string | undefined>>,
): WrittenEntry {
  return { value, ...Object.fromEntries(Object.entries(about).filter(([, text]) => text !== undefined)) };
}

/** An entry, and where its text stands. */
export interface Entry {
  readonly written: WrittenEntry;
  readonly span: Span;
}

/** A fact that is looked up in a list. */
interface ListedFact {
  readonly path: string;
  readonly format: Format | undefined;
  readonly isMailbox?: boolean | undefined;
}

/** A list whose entries are read once they are asked about, in the format of the fact. */
export class DeclaredList {
  readonly name: string;
  readonly entries: readonly Entry[];
  readonly description: string | undefined;
  /** The entries as data, for the digest. */
  readonly data: unknown;
  readonly #views = new Map<Format | 'mailbox' | undefined, NamedList>();
  /** Whether its entries may be public suffixes; also once they were checked. */
  #takesSuffixes: boolean;
  /** The first fact whose values are compared with the entries themselves; it gives the list its format. */
  #owner: ListedFact | undefined;

  constructor(
    name: string,
    entries: readonly Entry[],
    about?: { readonly description?: string; readonly suffix?: boolean },
  ) {
    this.name = name;
    this.entries = entries;
    this.description = about?.description;
    this.#takesSuffixes = about?.suffix ?? false;
    const data = entries.map(({ written }) => (Object.keys(written).length === 1 ? written.value : written));
    this.data = about ? { ...about, entries: data } : data;
  }

  /** The format of its facts; undefined for none, and for a list in which no fact is looked up. */
  get format(): Format | undefined {
    const [view] = [...this.#views.keys()].filter((format) => format !== undefined);
    return this.#owner ? this.#owner.format : view === 'mailbox' ? 'email' : view;
  }

  /** The list in its own format. */
  get list(): NamedList {
    return this.#viewFor({ path: '', format: this.format });
  }

  /** The list for `inDomainList`, which gives it no format. */
  asDomains(fact: ListedFact): NamedList {
    if (fact.format === 'domain' && !this.#takesSuffixes) this.#reportSuffixes();
    return this.#viewFor(fact);
  }

  #reportSuffixes(): void {
    this.#takesSuffixes = true;
    for (const { written, span } of this.entries) {
      const domain = asciiForm(trimWhiteSpace(written.value));
      if (domain === undefined || written.suffix || span.source.isOnRecord || !isPublicSuffix(domain)) continue;
      reportAt(span, 'wrong-value', 'this is a public suffix: everybody can have a domain that ends in it', {
        hint: 'write the domains that you mean; if all of them, `suffix: true` beside `value`, or beside `file`',
      });
    }
  }

  /** The list for `inList` and `notInList`, at a node; undefined, with a diagnostic, if it has another format. */
  asValues(fact: ListedFact, node: Span): NamedList | undefined {
    this.#owner ??= fact;
    if (this.#owner.format === fact.format) return this.#viewFor(fact);
    const [one, other] = [this.#owner, fact].map(describe);
    const message = `the list "${this.name}" is asked about ${one} and about ${other}; a list has one format`;
    const plain = [this.#owner, fact].find(({ format }) => format === undefined);
    const format = this.#owner.format ?? fact.format;
    const hint =
      plain && /^(context|identity)\./.test(plain.path) ? `declare \`format: ${format}\` for ${plain.path}` : undefined;
    return reportAt(node, 'list-formats', message, { hint: hint ?? 'declare a list for each of them' });
  }

  #viewFor(fact: ListedFact): NamedList {
    const key = fact.isMailbox ? 'mailbox' : fact.format;
    let view = this.#views.get(key);
    if (!view) {
      view = this.#read(fact);
      this.#views.set(key, view);
    }
    return view;
  }

  #read(fact: ListedFact): NamedList {
    const entries = new Map<string, string | undefined>();
    const blocks = new Map<string, BlockEntry>();
    const starts: { readonly texts: number[]; readonly blocks: number[] } = { texts: [], blocks: [] };
    let longest = 0;
    for (const { written, span } of this.entries) {
      const { value: text } = written;
      // Nothing but the entry itself ends it, whatever Object.prototype has.
      const until = Object.hasOwn(written, 'until') ? written.until : undefined;
      const value = readFormattedText(text, span, { ...fact, takesBlocks: true });
      if (value === undefined) continue;
      if (isIpBlock(value)) {
        const before = blocks.get(value.value);
        if (!before) starts.blocks.push(span.start);
        blocks.set(value.value, { ...value, until: before ? later(before.until, until) : until });
      } else {
        longest = Math.max(longest, value.length);
        if (!entries.has(value)) starts.texts.push(span.start);
        entries.set(value, entries.has(value) ? later(entries.get(value), until) : until);
      }
    }
    const texts = { name: this.name, entries, longest };
    const list = blocks.size === 0 ? texts : { ...texts, blocks: new IpBlocks([...blocks.values()]) };
    const [first] = this.entries;
    if (first) keepEntryStarts(list, first.span.source, [...starts.texts, ...starts.blocks]);
    return list;
  }
}

function describe({ path, format }: ListedFact): string {
  return `${path} (${format === undefined ? 'no format' : `format ${format}`})`;
}

/** An entry that is listed twice counts until the later of its last days. */
function later(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || other === undefined ? undefined : one > other ? one : other;
}

/** The fact that a text is compared with. */
interface ComparedFact extends ListedFact {
  /** Whether a CIDR block will do in place of an IP address. */
  readonly takesBlocks: boolean;
}

/** A text in the form of its format, folded if it has none; undefined, with a diagnostic, if no value has that form. */
export function readFormattedText(
  text: string,
  span: Span,
  fact: ComparedFact & { takesBlocks: false },
): string | undefined;
export function readFormattedText(text: string, span: Span, fact: ComparedFact): string | IpBlock | undefined;
export function readFormattedText(text: string, span: Span, { path, format, isMailbox, takesBlocks }: ComparedFact) {
  if (format === undefined) return readFolded(text, span);
  const isBlock = format === 'ip' && text.includes('/');
  const read = isBlock && takesBlocks ? readIpBlock(text) : readFormat(format, text, span.source.isOnRecord);
  if ('first' in read) return read;
  if ('value' in read) return isMailbox ? mailboxOf(read.value) : read.value;
  const message = `no value of ${path} equals this text: it ${read.problem}`;
  const [, ending] = /^\*(\.[\w.-]+)$/.exec(text) ?? [];
  // In a list it may be for `inDomainList`, which is about all below a domain.
  if (format === 'domain' && ending !== undefined && !takesBlocks) {
    return reportAt(span, 'wrong-format', message, { hint: `for what is below it, write \`endsWith: ${ending}\`` });
  }
  const block = format === 'ip' ? blockMeant(text) : undefined;
  const corrected = read.corrected ?? (takesBlocks ? block : undefined);
  const hint =
    hintFor(text, path, format, corrected) ??
    (block && !takesBlocks ? `for a block, write \`in: [${block}]\`` : undefined);
  const fix = corrected === undefined ? undefined : { value: corrected };
  return reportAt(span, 'wrong-format', message, { hint, fix });
}

function readFolded(text: string, span: Span): string | undefined {
  const folded = fold(text);
  if (folded === undefined) return reportAt(span, 'wrong-value', `this text ${UNFOLDABLE}`);
  if (folded !== '') return folded;
  return reportAt(span, 'empty', 'this text has only invisible characters, which are dropped when texts are compared');
}

function hintFor(text: string, path: string, format: Format, corrected: string | undefined): string | undefined {
  if (corrected !== undefined) return `did you mean "${corrected}"?`;
  if (format === 'domain' && text.includes('@')) {
    const domain = domainWithin(text);
    const wholeDomain = domain && `for everybody of the domain, write "${domain}"`;
    return path === 'applicant.emailDomain'
      ? ['to ask about one address, test applicant.email', wholeDomain].join('; ')
      : wholeDomain;
  }
  const meant = entryMeant(text, (part) => 'value' in readFormat(format, part));
  if (meant !== undefined || format !== 'email' || path !== 'applicant.email') return meant;
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
  const { example, corrected } = readPart(format, needle, placement);
  if (example !== undefined) return needle;
  const message = `no value of ${path} ${VERBS[placement]} this text: ${FORMS[format]}`;
  return reportAt(span, 'wrong-format', message, {
    hint: corrected === undefined ? undefined : `did you mean "${corrected}"?`,
    fix: corrected === undefined ? undefined : { value: corrected },
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
