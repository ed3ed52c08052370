/** Outputs that name ids, hashes, keys and instants of one run -> the same outputs with names that are the same in every run, and back. */

import { createHash } from 'node:crypto';

/** What differs from run to run, and what stands for the n-th of it. Lengths stay, so that tables do. */
const KINDS: readonly { readonly found: RegExp; alias(n: number, found: string): string }[] = [
  {
    found: /\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g,
    alias: (n) => {
      const hex = hashOf(`uuid ${n}`);
      return `01a1f8d4-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`;
    },
  },
  // A digest of a policy or mapping, which `sha256:` stands before, is the same in every run.
  { found: /(?<![0-9a-f:])[0-9a-f]{64}(?![0-9a-f])/g, alias: (n) => hashOf(`hash ${n}`) },
  { found: /(?<![0-9a-f:-])[0-9a-f]{16}(?![0-9a-f-])/g, alias: (n) => hashOf(`key ${n}`).slice(0, 16) },
  {
    found: /[A-Za-z0-9+/]{86}==/g,
    alias: (n) => createHash('sha512').update(`signature ${n}`).digest('base64'),
  },
  {
    // Midnight is a day that the page itself names.
    found: /\b\d{4}-\d\d-\d\dT(?!00:00:00\.000)\d\d:\d\d:\d\d\.\d{3}Z/g,
    alias: (n) => `2026-11-20T12:00:${String(n % 60).padStart(2, '0')}.000Z`,
  },
];

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The names that one page uses. */
export class Aliases {
  readonly #aliases = new Map<string, string>();
  readonly #real = new Map<string, string>();

  /** An output with the aliases of what it names. */
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

  /** A command that names aliases, with what they stand for. */
  reveal(command: string): string {
    let revealed = command;
    for (const [name, real] of this.#real) revealed = revealed.replaceAll(name, real.slice(real.indexOf(' ') + 1));
    return revealed;
  }
}
