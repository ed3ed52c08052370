/** The YAML of a regular expression -> the compiled pattern. */

import { RE2JS, RE2JSException, RE2Set } from 're2js';
import { reportAt } from '../../platform/files/source.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { readText } from '../../platform/yaml-fields.ts';
import type { Budget } from '../budget.ts';
import type { Pattern } from '../operators.ts';

/**
 * The bytes in which a pattern keeps the states it has been through, as re2js counts them. Its own default, 8 MB a
 * pattern, would let the texts of a few hundred applicants fill gigabytes; with less, it forgets states and goes on.
 */
const STATE_BYTES = 64 * 1024;

/** What a pattern counts beside its instructions: about what its states take. */
const EACH_PATTERN = 250;

/** Reads the patterns of one policy; a pattern that occurs again is compiled once. */
export class PatternReader {
  readonly #budget: Budget;
  readonly #compiled = new Map<string, Pattern>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Undefined, with a diagnostic, for a text that is not a pattern; or once the policy's patterns are too large. */
  read(node: Yaml): Pattern | undefined {
    const source = readText(node, 'a pattern');
    if (source === undefined) return undefined;
    const pattern = this.#compiled.get(source) ?? this.#compile(source, node);
    if (pattern) this.#compiled.set(source, pattern);
    return pattern;
  }

  #compile(source: string, node: Yaml): Pattern | undefined {
    // Compiling takes most of the time, so it ends where the budget does.
    if (this.#budget.isSpent('patterns')) return undefined;
    try {
      const size = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE).programSize();
      if (!this.#budget.spend('patterns', size + EACH_PATTERN, node)) return undefined;
      const set = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE, STATE_BYTES);
      set.add(source);
      set.compile();
      return { source, test: (text) => set.match(text).length > 0 };
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      return reportAt(node, 'bad-pattern', `RE2 cannot compile this pattern: ${error.message}`, {
        hint: 'RE2 has no look-around and no back-references: they cannot be matched in linear time',
      });
    }
  }
}
