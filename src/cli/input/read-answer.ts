/** A file with a captured answer of the service -> its JSON value, read like the client reads answers. */

import { parseJson } from '../../signals/json.ts';
import { CLIENT_DEFAULTS } from '../../signals/options.ts';
import { CouldNotRunError, type Io } from '../io.ts';
import { nameOfInput, openInput } from './open-input.ts';

/** The limit of the client. */
const MAX_BYTES = CLIENT_DEFAULTS.maxBodyBytes;

/** Reads the body of one answer; `-`: standard input. Throws `CouldNotRunError`, which quotes nothing of the answer. */
export async function readAnswer(file: string, io: Io): Promise<unknown> {
  const name = nameOfInput(file);
  const bytes = await readBytes(file, io);
  const parsed = parseJson(bytes);
  if (parsed.problem !== undefined) throw new CouldNotRunError(`${name} ${parsed.problem}`);
  const line = lineOfDuplicateName(new TextDecoder().decode(bytes));
  if (line === undefined) return parsed.value;
  // Readers of JSON differ in which of the two they believe (RFC 8259, section 4).
  throw new CouldNotRunError(`${name}, line ${line}: duplicate name in an object`);
}

async function readBytes(file: string, io: Io): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of openInput(file, io)) {
    length += chunk.length;
    if (length > MAX_BYTES) {
      throw new CouldNotRunError(`${nameOfInput(file)} has more than ${MAX_BYTES} bytes, the limit for an answer`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A string, with the colon that makes it a name; a bracket; or a line break. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?|[{}[\]\n]/g;

/** The line, from 1, of the first duplicate name in an object of valid JSON. */
function lineOfDuplicateName(json: string): number | undefined {
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
