/** The YAML of a regular expression -> the compiled pattern. */

import type { PatternEngine } from '../../formats/pattern-engine.ts';
import { reportAt } from '../../platform/files/source.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { readText } from '../../platform/yaml-fields.ts';
import type { Pattern } from '../arguments.ts';
import type { Budget } from '../budget.ts';

/** What a pattern counts beside its instructions: about what its states take. */
const EACH_PATTERN = 250;

/** Reads the patterns of one policy; a pattern that occurs again is compiled once. */
export class PatternReader {
  readonly #engine: PatternEngine | undefined;
  readonly #budget: Budget;
  readonly #compiled = new Map<string, Pattern>();

  constructor(engine: PatternEngine | undefined, budget: Budget) {
    this.#engine = engine;
    this.#budget = budget;
  }

  /**
   * Undefined, with a diagnostic, for a text that is not a pattern; without an engine; or once the policy's patterns
   * are too large.
   */
  read(node: Yaml): Pattern | undefined {
    const source = readText(node, 'a pattern');
    if (source === undefined) return undefined;
    const pattern = this.#compiled.get(source) ?? this.#compile(source, node);
    if (pattern) this.#compiled.set(source, pattern);
    return pattern;
  }

  #compile(source: string, node: Yaml): Pattern | undefined {
    if (!this.#engine) {
      return reportAt(node, 'not-supported', 'found a pattern; patterns need an engine, and none was given', {
        hint: 'give the function that reads the policy the option `patterns`: RE2 of verdict-engine/patterns',
      });
    }
    // Compiling takes most of the time, so it ends where the budget does.
    if (this.#budget.isSpent('patterns')) return undefined;
    const compiled = this.#engine.compilePattern(source);
    if ('problem' in compiled) {
      return reportAt(node, 'bad-pattern', `RE2 cannot compile this pattern: ${compiled.problem}`, {
        hint: 'RE2 has no look-around and no back-references: they cannot be matched in linear time',
      });
    }
    if (!this.#budget.spend('patterns', compiled.size + EACH_PATTERN, node)) return undefined;
    return { source, test: compiled.tester() };
  }
}
