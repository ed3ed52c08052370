/** A file with a captured answer of the service -> its JSON value, read as the client reads an answer. */

import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { parseJson } from '../../signals/json.ts';
import { CLIENT_DEFAULTS } from '../../signals/options.ts';
import { CouldNotRunError, type Io } from '../io.ts';

/** As much as the client reads of an answer. */
const MAX_BYTES = CLIENT_DEFAULTS.maxBodyBytes;

/** Reads the body of one answer; `-` is standard input. Throws `CouldNotRunError`, which quotes nothing of the answer. */
export async function readAnswer(file: string, { stdin }: Io): Promise<unknown> {
  const name = file === '-' ? 'standard input' : file;
  const bytes = await readBytes(file === '-' ? stdin : createReadStream(file), name);
  const parsed = parseJson(bytes);
  if (parsed.problem !== undefined) throw new CouldNotRunError(`${name} ${parsed.problem}`);
  const line = lineOfRepeatedName(new TextDecoder().decode(bytes));
  if (line === undefined) return parsed.value;
  // Readers of JSON differ in which of the two they believe (RFC 8259, section 4).
  throw new CouldNotRunError(`${name}, line ${line}: a name stands twice in one object`);
}

async function readBytes(stream: Readable, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk);
      length += bytes.length;
      if (length > MAX_BYTES) break;
      chunks.push(bytes);
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new CouldNotRunError(code === 'ENOENT' ? `${name}: no such file` : `${name} cannot be read`);
  }
  if (length > MAX_BYTES)
    throw new CouldNotRunError(`${name} has more than ${MAX_BYTES} bytes, as much as is read of an answer`);
  return Buffer.concat(chunks);
}

/** A text, with the colon that makes it a name; a bracket; or the end of a line. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?|[{}[\]\n]/g;

/** The line, from 1, of the first name that its object has already. The text is JSON. */
function lineOfRepeatedName(json: string): number | undefined {
  const objects: Set<string>[] = [];
  let line = 1;
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') objects.push(new Set());
    else if (token === '}' || token === ']') objects.pop();
    else if (token.endsWith(':')) {
      const name: string = JSON.parse(token.slice(0, -1));
      const names = objects.at(-1);
      if (names?.has(name)) return line;
      names?.add(name);
    }
    line += token.split('\n').length - 1;
  }
  return undefined;
}
