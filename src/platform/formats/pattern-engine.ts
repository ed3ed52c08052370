/** A regular expression -> its compiled form: the interface, since an engine is larger than the reader of policies. */

/** A regular expression that the engine takes. */
export interface CompiledPattern {
  /** The number of its instructions, by which a policy's patterns are limited. */
  readonly size: number;
  /** Creates the test whether it matches anywhere in a folded text, ignoring case. Takes most of the time. */
  tester(): (text: string) => boolean;
}

/** Compiles regular expressions in RE2 syntax, which take time linear in the text. */
export interface PatternEngine {
  /** `problem` says in words why a source cannot be compiled. */
  compilePattern(source: string): CompiledPattern | { readonly problem: string };
}
