/** Facts of many applicants as columns -> the cells of a block of rows on an axis. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { computeFact, factsAmong } from '../../facts/compute.ts';
import { completedYears, dayNumber } from '../../facts/day.ts';
import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import { readFact } from '../../facts/fact-reader.ts';
import type { Axis } from '../../policy/cells/cells.ts';
import { stepOf } from '../../policy/cells/segments.ts';
import type { NumberCells } from '../../policy/cells/value-axis.ts';
import { type Condition, factsOf } from '../../policy/language.ts';
import { evaluate } from '../meaning/truth.ts';
import { type Columns, isTextColumn, type NumberColumn, type TextColumn, valueAt } from './columns.ts';
import { cellOfTruth, findCell, MISSING_CELL } from './find-cell.ts';

/** Fills `cells` with the cells of as many rows, from the row `from` on. */
export type CellWriter = (cells: Int32Array, from: number) => void;

/** Creates the writer of an axis or a condition on a day. */
export function createCellWriter(
  source: Axis | Condition,
  { columns }: Columns,
  table: FactTable,
  day: string,
): CellWriter {
  const read = (path: string, row: number): Fact => {
    const column = columns.get(path);
    const definition = table.get(path);
    if (definition?.compute) {
      const operands = factsAmong(definition.compute.operands).map((operand) => [operand, read(operand, row)] as const);
      return computeFact(definition, definition.compute, new Map(operands));
    }
    return column && definition ? readFact(definition, { value: valueAt(column, definition, row) }, day) : NOT_GIVEN;
  };
  if ('kind' in source) {
    const paths = [...factsOf(source)];
    return rowByRow((row) => {
      const facts: Facts = new Map(paths.map((path) => [path, read(path, row)]));
      return cellOfTruth(evaluate(source, facts, day));
    });
  }
  const { fact, other } = source;
  const column = columns.get(fact);
  const definition = table.get(fact);
  if (other !== undefined) return rowByRow((row) => findCell(source, read(fact, row), read(other, row), day));
  if (definition?.compute) return rowByRow((row) => findCell(source, read(fact, row), undefined, day));
  if (!column || !definition) return (cells) => cells.fill(MISSING_CELL);
  if (isTextColumn(column))
    return textWriter(column, (text) => findCell(source, text, undefined, day), definition, day);
  if (!source.numbers) return rowByRow((row) => findCell(source, read(fact, row), undefined, day));
  return numberWriter(column, source.numbers, source.firstValue, definition, day);
}

const NOT_GIVEN: Fact = { missing: 'notGiven' };

function rowByRow(find: (row: number) => number): CellWriter {
  return (cells, from) => {
    for (let i = 0; i < cells.length; i++) cells[i] = find(from + i);
  };
}

/** The cell of each text is found once. */
function textWriter(
  { codes, texts, missing }: TextColumn,
  find: (fact: Fact) => number,
  definition: FactDefinition,
  day: string,
): CellWriter {
  const cellsByCode = new Int32Array(texts.length).fill(-1);
  const cellOf = (code: number): number => {
    const cell = cellsByCode[code];
    if (cell === undefined) return MISSING_CELL;
    if (cell >= 0) return cell;
    const fact = readFact(definition, { value: texts[code] }, day);
    const found = isMissing(fact) ? MISSING_CELL : find(fact);
    cellsByCode[code] = found;
    return found;
  };
  return (cells, from) => {
    for (let i = 0; i < cells.length; i++) {
      cells[i] = missing?.[from + i] ? MISSING_CELL : cellOf(codes[from + i] ?? -1);
    }
  };
}

/** The cell of a date that never happened, on an axis of dates. */
const NEVER_CELL = 1;

/** The number of a column in the unit of an axis. */
function numberOn(unit: NumberCells['unit'], number: number, today: number): number {
  if (unit === 'age') return today - number;
  return unit === 'years' ? completedYears(number, today) : number;
}

function numberWriter(
  { numbers, missing, never }: NumberColumn,
  { unit, steps }: NumberCells,
  firstValue: number,
  { type, past }: FactDefinition,
  day: string,
): CellWriter {
  const today = dayNumber(day);
  const isDate = type === 'date';
  return (cells, from) => {
    for (let i = 0; i < cells.length; i++) {
      const row = from + i;
      if (missing?.[row]) cells[i] = MISSING_CELL;
      else if (isDate && never?.[row]) cells[i] = NEVER_CELL;
      else {
        let number = numbers[row] ?? Number.NaN;
        if (past && number > today) number = number === today + 1 ? today : Number.NaN;
        const step = stepOf(steps, numberOn(unit, number, today));
        cells[i] = step < 0 ? MISSING_CELL : firstValue + step;
      }
    }
  };
}
