/** What compiles regular expressions: an engine is larger than all the rest of reading a policy. */

/** A regular expression that the engine takes. */
export interface CompiledPattern {
  /** The number of its instructions, by which a policy's patterns are limited. */
  readonly size: number;
  /** Makes the test of whether it matches anywhere in a folded text, without regard to case. Takes most of the time. */
  tester(): (text: string) => boolean;
}

/** Compiles regular expressions in RE2 syntax, which take time linear in the text. */
export interface PatternEngine {
  /** `problem` says in words why a source cannot be compiled. */
  compilePattern(source: string): CompiledPattern | { readonly problem: string };
}
