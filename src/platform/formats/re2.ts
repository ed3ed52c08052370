/** The engine of patterns of this package, re2js; with it, the table of public suffixes: the core has neither. */

import { RE2JS, RE2JSException, RE2Set } from 're2js';
import type { PatternEngine } from './pattern-engine.ts';
import { provideSuffixes } from './public-suffix.ts';
import suffixes from './public-suffixes.json' with { type: 'json' };

provideSuffixes(suffixes);

/**
 * The bytes in which a pattern keeps the states it has been through, as re2js counts them. Its own default, 8 MB a
 * pattern, would let the texts of a few hundred applicants fill gigabytes; with less, it forgets states and goes on.
 */
const STATE_BYTES = 64 * 1024;

/** Regular expressions in RE2 syntax; an option of the functions of `verdict-engine/core` that read policies. */
export const RE2: PatternEngine = {
  compilePattern: (source) => {
    try {
      const size = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE).programSize();
      return { size, tester: () => testerOf(source) };
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      return { problem: error.message };
    }
  },
};

function testerOf(source: string): (text: string) => boolean {
  const set = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE, STATE_BYTES);
  set.add(source);
  set.compile();
  return (text) => set.match(text).length > 0;
}
