/** A domain in its ASCII form -> whether it is a public suffix, under which others register domains: `com`, `co.uk`. */

/** The labels before each last label, as the Public Suffix List has them; by `.` the last labels with none before. */
type SuffixTable = Readonly<Record<string, string>>;

let table: SuffixTable = {};
const known = new Map<string, ReadonlySet<string>>();

/** The table, which is too large for a page: without it, nothing is known to be a suffix. */
export function provideSuffixes(suffixes: SuffixTable): void {
  table = suffixes;
  known.clear();
}

/** `*.ck` makes every domain directly below `ck` a suffix, but `!www.ck` is none: publicsuffix.org/list, "Format". */
export function isPublicSuffix(domain: string): boolean {
  const at = domain.lastIndexOf('.');
  if (at < 0) return Object.hasOwn(table, domain) || labelsOf('.').has(domain);
  const head = domain.slice(0, at);
  const heads = labelsOf(domain.slice(at + 1));
  if (heads.has(`!${head}`)) return false;
  return [head, `*.${head}`, head.includes('.') ? head.replace(/^[^.]+/, '*') : '*'].some((each) => heads.has(each));
}

function labelsOf(key: string): ReadonlySet<string> {
  const labels = known.get(key) ?? new Set(Object.hasOwn(table, key) ? table[key]?.split(' ') : []);
  known.set(key, labels);
  return labels;
}
