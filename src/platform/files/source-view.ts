/** A text that is written differently in a file -> a source whose diagnostics and fixes are about the file. */

import type { Edit, Place } from '../../diagnostics.ts';
import { type Replacement, Source } from './source.ts';

/** A source inside another one: a cell of a table, or a text with its mistakes corrected. */
export abstract class SourceView extends Source {
  readonly #whole: Source;

  constructor(whole: Source, text: string) {
    super(whole.file, text, whole.diagnostics);
    this.#whole = whole;
    this.isPrivate = whole.isPrivate;
    this.isOnRecord = whole.isOnRecord;
    this.isElsewhere = whole.isElsewhere;
  }

  /** The offset in the whole of an offset in this text. */
  protected abstract toWhole(offset: number): number;

  override get ofFile(): Source {
    return this.#whole.ofFile;
  }

  override editOf({ start, end, text }: Replacement): Edit | undefined {
    return this.#whole.editOf({ start: this.toWhole(start), end: this.toWhole(end), text });
  }

  override placeOf(start: number, end: number): Place {
    return this.#whole.placeOf(this.toWhole(start), this.toWhole(end));
  }

  override lineAt(offset: number): number {
    return this.#whole.lineAt(this.toWhole(offset));
  }
}
