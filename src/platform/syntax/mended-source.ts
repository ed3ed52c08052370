/** A source and edits -> its text with the edits; what is reported of it is reported where it was written. */

import type { DiagnosticCode, Edit } from '../../diagnostics.ts';
import { applyEdits, type Replacement, type Source } from '../files/source.ts';
import { SourceView } from '../files/source-view.ts';

/** A part of a text, by offsets. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** A text with edits. */
export class MendedSource extends SourceView {
  readonly #written: Source;
  /** Sorted. */
  readonly #edits: readonly Replacement[];
  readonly #guessed: Part | undefined;

  /** `guessed`: the part of the written text of which it is not sure what was meant. */
  constructor(written: Source, edits: readonly Replacement[], guessed: Part | undefined) {
    super(written, applyEdits(written.text, edits));
    this.#written = written;
    this.#edits = edits.toSorted((a, b) => a.start - b.start);
    this.#guessed = guessed;
  }

  override get isGuessed(): boolean {
    return this.#guessed !== undefined || this.#written.isGuessed;
  }

  /** Problems of lines that were guessed may come from the guess, which is reported already. */
  override report(start: number, end: number, code: DiagnosticCode, ...about: [string, object?]): void {
    if (this.#isLineGuessed(this.lineAt(start))) this.reported.add(code);
    else super.report(start, end, code, ...about);
  }

  #isLineGuessed(line: number): boolean {
    const written = this.#written;
    if (written instanceof MendedSource && written.#isLineGuessed(line)) return true;
    if (!this.#guessed) return false;
    return written.lineAt(this.#guessed.start) <= line && line <= written.lineAt(this.#guessed.end);
  }

  /** None for a part that has edits already: the first fix comes first. */
  override editOf(replacement: Replacement): Edit | undefined {
    let shift = 0;
    for (const { start, end, text } of this.#edits) {
      const from = start + shift;
      if (from < replacement.end && replacement.start < from + text.length) return undefined;
      shift += text.length - (end - start);
    }
    return super.editOf(replacement);
  }

  protected override toWhole(offset: number): number {
    let shift = 0;
    for (const { start, end, text } of this.#edits) {
      const from = start + shift;
      if (offset < from) break;
      if (offset < from + text.length) return Math.min(start + offset - from, end);
      shift += text.length - (end - start);
    }
    return offset - shift;
  }
}
