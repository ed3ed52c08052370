/** A regular expression -> whether a text can make it take more than linear time, by backtracking or by restarts. */

/** A character of a pattern, by its number, and what of the alphabet it matches. */
interface Place {
  readonly symbols: bigint;
  readonly follow: Set<number>;
  /** The places that follow in two ways, such as in `(a+)+`. */
  readonly followTwice: Set<number>;
}

/** A part of a pattern, as in the construction of Glushkov. Assertions match nothing, but may fail. */
interface Part {
  readonly first: ReadonlySet<number>;
  readonly last: ReadonlySet<number>;
  readonly isNullable: boolean;
  /** The same for matches that no assertion can prevent. */
  readonly sureLast: ReadonlySet<number>;
  readonly isSurelyNullable: boolean;
}

/** What patterns tell apart: ASCII, and other letters, digits, marks, white space and signs. */
const ALPHABET = [...Array(128).keys()]
  .map((code) => String.fromCodePoint(code))
  .concat([...'\u0085\u00a0ßéïИ漢٣\u0301\u200b\u200f\u2028\u3000–“”‹•€\ufeff\ufffd😀\u{e0041}']);

/** Repeats of more are taken to be without end. */
const MANY = 12;

const NONE: Part = { first: new Set(), last: new Set(), isNullable: true, sureLast: new Set(), isSurelyNullable: true };

/** Whether the pattern is linear on every text, as far as this looks: back references count as empty. */
export function isLinear(pattern: string, flags: string): boolean {
  return new PatternReader(pattern, flags).isLinear();
}

/** Reads a pattern into places; lookarounds are parts of their own. */
class PatternReader {
  readonly #pattern: string;
  readonly #flags: string;
  readonly #places: Place[] = [];
  readonly #inner: Part[] = [];
  #at = 0;
  #isFarBehind = false;
  /** Whether the pattern is tried at each position of a text. */
  #searches = false;

  constructor(pattern: string, flags: string) {
    this.#pattern = pattern;
    this.#flags = flags.replace(/[dgy]/g, '');
  }

  isLinear(): boolean {
    const whole = this.#alternatives(true);
    return !this.#isFarBehind && [whole, ...this.#inner].every((part) => !isAmbiguous(this.#places, part));
  }

  #loopsIn(part: Part): boolean {
    return loopsIn(this.#places, part).length > 0;
  }

  /** `searches`: whether the engine tries each position of the text in turn. */
  #alternatives(searches: boolean): Part {
    const parts: Part[] = [];
    do {
      const isAnchored = this.#pattern[this.#at] === '^' && !this.#flags.includes('m');
      this.#searches ||= searches && !isAnchored;
      const prefix = searches && !isAnchored ? this.#repeat(this.#place('[\\s\\S]')) : NONE;
      let part = prefix;
      while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern[this.#at] ?? ''))
        part = this.#join(part, this.#term());
      parts.push(part);
    } while (this.#take('|'));
    return either(parts);
  }

  #term(): Part {
    const from = this.#at;
    const atom = this.#atom();
    const quantifier = this.#match(/^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/);
    if (!quantifier) return atom;
    const [text, least = text[0] === '+' ? '1' : '0', comma, most = ''] = quantifier;
    const greatest = text[0] === '?' ? 1 : text[0] === '{' ? Number(comma ? most || Infinity : least) : Infinity;
    const end = this.#at;
    const again = (): Part => {
      this.#at = from;
      return this.#atom();
    };
    let part: Part = NONE;
    if (greatest > MANY) {
      const repeated = this.#repeat(atom);
      part =
        Number(least) > 0
          ? { ...repeated, isNullable: atom.isNullable, isSurelyNullable: atom.isSurelyNullable }
          : repeated;
    } else {
      for (let i = 0; i < greatest; i++) {
        const copy = i === 0 ? atom : again();
        part = this.#join(part, i < Number(least) ? copy : { ...copy, isNullable: true, isSurelyNullable: true });
      }
    }
    this.#at = end;
    return part;
  }

  #atom(): Part {
    const group = this.#match(/^\((?:\?(?:([:])|(<?[=!])|<\w+>))?/);
    if (group) {
      // An assertion is tried once, unless the pattern is tried at many places or has come to many of them.
      const isTriedOften = this.#searches || /[*+]|,\}/.test(this.#pattern.slice(0, this.#at - group[0].length));
      const part = this.#alternatives(isTriedOften && (group[2] === '=' || group[2] === '!'));
      this.#take(')');
      if (group[2] === undefined) return part;
      // A lookbehind goes back from each place of the text: it must not go far.
      if (group[2].startsWith('<') && this.#loopsIn(part)) this.#isFarBehind = true;
      this.#inner.push({ ...part, sureLast: new Set() });
      return ASSERTION;
    }
    if (this.#match(/^(?:[$^]|\\[bB])/)) return ASSERTION;
    if (this.#match(/^\\(?:[1-9]|k<\w+>)/)) return ASSERTION;
    const [text = ''] =
      this.#match(
        /^(?:\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Z]|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\])/,
      ) ??
      this.#match(/^[\s\S]/u) ??
      [];
    return this.#place(text);
  }

  #place(source: string): Part {
    const one = new RegExp(`^(?:${source})$`, this.#flags);
    const symbols = ALPHABET.reduce((sum, symbol, i) => (one.test(symbol) ? sum | (1n << BigInt(i)) : sum), 0n);
    const number = this.#places.push({ symbols, follow: new Set(), followTwice: new Set() }) - 1;
    const self = new Set([number]);
    return { first: self, last: self, isNullable: false, sureLast: self, isSurelyNullable: false };
  }

  #join(one: Part, other: Part): Part {
    for (const last of one.last) {
      const { follow, followTwice } = this.#places[last] as Place;
      for (const first of other.first) (follow.has(first) ? followTwice : follow).add(first);
    }
    return {
      first: one.isNullable ? one.first.union(other.first) : one.first,
      last: other.isNullable ? other.last.union(one.last) : other.last,
      isNullable: one.isNullable && other.isNullable,
      sureLast: other.isSurelyNullable ? other.sureLast.union(one.sureLast) : other.sureLast,
      isSurelyNullable: one.isSurelyNullable && other.isSurelyNullable,
    };
  }

  #repeat(part: Part): Part {
    this.#join(part, part);
    return { ...part, isNullable: true, isSurelyNullable: true };
  }

  #take(text: string): boolean {
    const isNext = this.#pattern.startsWith(text, this.#at);
    if (isNext) this.#at += text.length;
    return isNext;
  }

  #match(form: RegExp): RegExpExecArray | undefined {
    const found = form.exec(this.#pattern.slice(this.#at)) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}

const ASSERTION: Part = { ...NONE, isSurelyNullable: false };

function either(parts: readonly Part[]): Part {
  return parts.reduce((one, other) => ({
    first: one.first.union(other.first),
    last: one.last.union(other.last),
    isNullable: one.isNullable || other.isNullable,
    sureLast: one.sureLast.union(other.sureLast),
    isSurelyNullable: one.isSurelyNullable || other.isSurelyNullable,
  }));
}

/**
 * Whether there are places p and q and a text that leads from p to p, from p to q and from q to q: then the repeats of
 * that text can be divided between p and q in as many ways as it has repeats (Weber and Seidl, 1991). A match that ends
 * surely at q never goes back.
 */
function isAmbiguous(places: readonly Place[], part: Part): boolean {
  const loops = loopsIn(places, part);
  return loops.some((p) =>
    loops.some((q) => {
      if (part.sureLast.has(q)) return false;
      return p === q ? hasTwoWays(places, p) : leads(places, [p, p, q], [p, q, q]);
    }),
  );
}

/** The places of a part to which some text leads back. */
function loopsIn(places: readonly Place[], part: Part): readonly number[] {
  const after = (place: number) => [...(places[place]?.follow ?? [])];
  return [...closure([...part.first], after)].filter((place) => closure(after(place), after).has(place));
}

/** Whether a text leads from a place back to it in two ways. */
function hasTwoWays(places: readonly Place[], place: number): boolean {
  const after = (each: number) => [...(places[each]?.follow ?? [])];
  if ([...(places[place]?.followTwice ?? [])].some((next) => closure([next], after).has(place))) return true;
  const size = places.length;
  const pairsAfter = (pair: number) =>
    placesAfter(places, [Math.floor(pair / size), pair % size]).map(([one = 0, other = 0]) => one * size + other);
  const pairs = [...closure([place * size + place], pairsAfter)];
  const apart = pairs.filter((pair) => Math.floor(pair / size) !== pair % size);
  return closure(apart, pairsAfter).has(place * size + place);
}

/** Whether a text leads from each of three places to the one beside it in `to`. */
function leads(places: readonly Place[], from: readonly number[], to: readonly number[]): boolean {
  const size = places.length;
  const encode = (triple: readonly number[]) => triple.reduce((sum, each) => sum * size + each, 0);
  const decode = (code: number) => [Math.floor(code / size / size), Math.floor(code / size) % size, code % size];
  const next = (triple: readonly number[]) => placesAfter(places, triple).map(encode);
  return closure(next(from), (code) => next(decode(code))).has(encode(to));
}

/** Where one and the same symbol leads from several places. */
function placesAfter(places: readonly Place[], from: readonly number[]): readonly (readonly number[])[] {
  let ways: readonly { readonly to: readonly number[]; readonly symbols: bigint }[] = [{ to: [], symbols: -1n }];
  for (const place of from) {
    ways = ways.flatMap(({ to, symbols }) =>
      [...(places[place]?.follow ?? [])].flatMap((next) => {
        const common = symbols & (places[next]?.symbols ?? 0n);
        return common === 0n ? [] : [{ to: [...to, next], symbols: common }];
      }),
    );
  }
  return ways.map(({ to }) => to);
}

function closure(from: readonly number[], next: (each: number) => readonly number[]): ReadonlySet<number> {
  const seen = new Set<number>();
  const open = [...from];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (seen.has(each)) continue;
    seen.add(each);
    open.push(...next(each));
  }
  return seen;
}
