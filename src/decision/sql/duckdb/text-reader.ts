/** A text column of DuckDB -> the texts as their fact compares them: folded, or in the one form of its format. */

import type { FactDefinition } from '../../../facts/catalog.ts';
import { fold, MAX_TEXT_BYTES } from '../../../formats/fold.ts';
import { FORMATS, type Format, readFormat } from '../../../formats/format.ts';
import { trimWhiteSpace } from '../../../text.ts';
import type { DuckDb } from './duckdb.ts';

/** The names of our functions in DuckDB. */
const FOLD = 'verdict_fold';
const functionOf = (format: Format) => `verdict_${format}`;

/** The white space of ASCII. */
const SPACE = `(' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13))`;

/** The expression of a text as its fact compares it; NULL for a text that the fact cannot have. */
export function readText(text: string, { format }: FactDefinition): string {
  if (format) return `${functionOf(format)}(${text})`;
  // Most texts are short and ASCII. DuckDB folds them faster than our function does.
  const isPlain = `strlen(${text}) = length(${text}) AND strlen(${text}) <= ${MAX_TEXT_BYTES}`;
  return `CASE WHEN ${isPlain} THEN lower(trim(${text}, ${SPACE})) ELSE ${FOLD}(${text}) END`;
}

/** Registers the functions that `readText` uses. `onRefused` is called for texts that a fact cannot have. */
export function registerTextReaders(db: DuckDb, onRefused: (format?: Format) => undefined = () => undefined): void {
  register(db, FOLD, (text) => fold(text) ?? onRefused());
  for (const format of FORMATS) {
    register(db, functionOf(format), (text) => {
      const read = readFormat(format, text);
      if ('value' in read) return read.value;
      return trimWhiteSpace(text) === '' ? undefined : onRefused(format);
    });
  }
}

function register(
  { connection, package: { DuckDBScalarFunction, VARCHAR } }: DuckDb,
  name: string,
  read: (text: string) => string | undefined,
): void {
  const scalar = DuckDBScalarFunction.create({
    name,
    returnType: VARCHAR,
    parameterTypes: [VARCHAR],
    mainFunction: (_, input, output) => {
      const texts = input.getColumnVector(0);
      for (let i = 0; i < input.rowCount; i++) {
        const text = texts.getItem(i);
        output.setItem(i, text === null ? null : (read(String(text)) ?? null));
      }
      output.flush();
    },
  });
  connection.registerScalarFunction(scalar);
}
