/** A cell of a fact in a CSV file, and the fact's type -> the node that the cell would be in YAML. */

import type { Edit } from '../../../diagnostics.ts';
import type { FactType } from '../../../facts/catalog.ts';
import type { Replacement } from '../../../platform/files/source.ts';
import { SourceView } from '../../../platform/files/source-view.ts';
import { parseYaml, type ScalarNode, type Yaml } from '../../../platform/yaml.ts';
import type { TextNode } from '../files/csv-file.ts';

/** How cells begin that are YAML: maps of tests, lists, and texts in quotes. */
const BEGINS_YAML = /^[{["']/;

const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;
/** As in YAML; spreadsheets write TRUE. */
const BOOLEAN = /^(true|false|True|False|TRUE|FALSE)$/;

/** Undefined, with diagnostics in the file, for a cell that begins like YAML and is none. */
export function readFactCell(cell: TextNode, type: FactType): Yaml | undefined {
  if (cell.value === '') return emptyCell(cell);
  return BEGINS_YAML.test(cell.value) ? parseYaml(new CellSource(cell)) : readTyped(cell, type);
}

/** A cell that says nothing: an error for a fact, and left out for a key of the row. */
export function emptyCell(cell: TextNode): ScalarNode {
  return { ...cell, value: null };
}

/** A text of another form stays one, so that it is reported as the wrong type. */
function readTyped(cell: TextNode, type: FactType): ScalarNode {
  if (type === 'boolean') {
    return BOOLEAN.test(cell.value) ? { ...cell, value: cell.value.toLowerCase() === 'true' } : cell;
  }
  return type === 'number' || type === 'integer' ? readNumeral(cell) : cell;
}

/** A number, if the text is one. */
export function readNumeral(cell: TextNode): ScalarNode {
  const number = NUMBER.test(cell.value) ? Number(cell.value) : Number.NaN;
  return Number.isFinite(number) ? { ...cell, value: number } : cell;
}

/** The text of a cell as a source; what is reported of it is reported where it is written in the file. */
class CellSource extends SourceView {
  readonly #cell: TextNode;

  constructor(cell: TextNode) {
    super(cell.source, cell.value);
    this.#cell = cell;
  }

  override editOf({ start, end, text }: Replacement): Edit | undefined {
    const isQuoted = this.#cell.source.text[this.#cell.start] === '"';
    if (!isQuoted && /[",]/.test(text)) return undefined;
    return super.editOf({ start, end, text: isQuoted ? text.replaceAll('"', '""') : text });
  }

  /** Where a part of the text is in the file: quotes stand around it, and twice inside it. */
  protected override toWhole(offset: number): number {
    const { source, start, end, value } = this.#cell;
    const written = source.text.slice(start, end);
    const isQuoted = written.startsWith('"');
    let at = isQuoted ? 1 : 0;
    const step = () => {
      at += isQuoted && written.startsWith('""', at) ? 2 : 1;
    };
    // White space before the text does not count.
    while (at < written.length && written[at] !== value[0]) step();
    for (let i = 0; i < offset; i++) step();
    return start + Math.min(at, written.length);
  }
}
