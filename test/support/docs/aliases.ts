/**
 * Outputs with the ids, hashes, keys and instants of one run <-> the same outputs with aliases that are the same in
 * every run.
 */

import { createHash } from 'node:crypto';

/**
 * Patterns of values that differ from run to run, and the alias of the n-th value. Aliases keep the length, and so
 * the layout of tables.
 */
const KINDS: readonly { readonly found: RegExp; alias(n: number, found: string): string }[] = [
  {
    found: /\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g,
    alias: (n) => {
      const hex = hashOf(`uuid ${n}`);
      return `01a1f8d4-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`;
    },
  },
  // Digests of policies and mappings, after `sha256:`, are the same in every run.
  { found: /(?<![0-9a-f:])[0-9a-f]{64}(?![0-9a-f])/g, alias: (n) => hashOf(`hash ${n}`) },
  { found: /(?<![0-9a-f:-])[0-9a-f]{16}(?![0-9a-f-])/g, alias: (n) => hashOf(`key ${n}`).slice(0, 16) },
  {
    found: /[A-Za-z0-9+/]{86}==/g,
    alias: (n) => createHash('sha512').update(`signature ${n}`).digest('base64'),
  },
  {
    // Midnight comes from a day that the page itself names.
    found: /\b\d{4}-\d\d-\d\dT(?!00:00:00\.000)\d\d:\d\d:\d\d\.\d{3}Z/g,
    alias: (n) => `2026-11-20T12:00:${String(n % 60).padStart(2, '0')}.000Z`,
  },
];

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The aliases of one page. */
export class Aliases {
  readonly #aliases = new Map<string, string>();
  readonly #real = new Map<string, string>();

  /** Replaces the values in an output with aliases. */
  hide(output: string): string {
    let hidden = output;
    for (const [kind, { found, alias }] of KINDS.entries()) {
      hidden = hidden.replace(found, (real) => {
        const known = this.#aliases.get(real);
        if (known !== undefined) return known;
        const count = [...this.#real.keys()].filter((name) => this.#real.get(name)?.startsWith(`${kind} `)).length;
        const name = alias(count + 1, real);
        this.#aliases.set(real, name);
        this.#real.set(name, `${kind} ${real}`);
        return name;
      });
    }
    return hidden;
  }

  /** Replaces the aliases in a command with their values. */
  reveal(command: string): string {
    let revealed = command;
    for (const [name, real] of this.#real) revealed = revealed.replaceAll(name, real.slice(real.indexOf(' ') + 1));
    return revealed;
  }
}
