/** Word lists written as one text, `a, b, c` over any number of lines -> the words. */

/** The words of a list. */
export function splitList(text: string): readonly string[] {
  return text.trim().split(/,\s+/);
}

/** Word -> the key whose list has it. */
export function indexWords<Key extends string>(lists: Readonly<Record<Key, string>>): ReadonlyMap<string, Key> {
  const entries = Object.entries(lists) as [Key, string][];
  return new Map(entries.flatMap(([key, words]) => splitList(words).map((word): [string, Key] => [word, key])));
}
