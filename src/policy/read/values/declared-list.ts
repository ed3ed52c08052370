/** The entries of one list as written -> the list in the form of the facts that are looked up in it. */

import type { Format } from '../../../formats/format.ts';
import { reportAt, type Span } from '../../../platform/files/source.ts';
import { isIpBlock, type NamedList } from '../../arguments.ts';
import { type BlockEntry, IpBlocks } from '../../ip-blocks.ts';
import { keepEntryStarts } from '../../source-map.ts';
import { readFormattedText } from './formatted-text.ts';

/** An entry as written; `until` is the last day on which it counts. */
export interface WrittenEntry {
  readonly value: string;
  readonly until?: string;
  readonly note?: string;
  readonly owner?: string;
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
export interface ListedFact {
  readonly path: string;
  readonly format: Format | undefined;
}

/** A list whose entries are read once they are asked about, in the format of the fact. */
export class DeclaredList {
  readonly name: string;
  readonly entries: readonly Entry[];
  readonly description: string | undefined;
  /** The entries as data, for the digest. */
  readonly data: unknown;
  readonly #views = new Map<Format | undefined, NamedList>();
  /** The first fact whose values are compared with the entries themselves; it gives the list its format. */
  #owner: ListedFact | undefined;

  constructor(name: string, entries: readonly Entry[], about?: { readonly description?: string }) {
    this.name = name;
    this.entries = entries;
    this.description = about?.description;
    const data = entries.map(({ written }) => (Object.keys(written).length === 1 ? written.value : written));
    this.data = about ? { ...about, entries: data } : data;
  }

  /** The format of its facts; undefined for none, and for a list in which no fact is looked up. */
  get format(): Format | undefined {
    return this.#owner ? this.#owner.format : [...this.#views.keys()].find((format) => format !== undefined);
  }

  /** The list in its own format. */
  get list(): NamedList {
    return this.#viewFor({ path: '', format: this.format });
  }

  /** The list for `inDomainList`, which gives it no format. */
  asDomains(fact: ListedFact): NamedList {
    return this.#viewFor(fact);
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
    let view = this.#views.get(fact.format);
    if (!view) {
      view = this.#read(fact);
      this.#views.set(fact.format, view);
    }
    return view;
  }

  #read(fact: ListedFact): NamedList {
    const entries = new Map<string, string | undefined>();
    const blocks = new Map<string, BlockEntry>();
    const starts: { readonly texts: number[]; readonly blocks: number[] } = { texts: [], blocks: [] };
    let longest = 0;
    for (const { written, span } of this.entries) {
      const { value: text, until } = written;
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
