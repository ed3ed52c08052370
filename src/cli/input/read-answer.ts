/** A file with a captured answer of the service -> its JSON value, read like the client reads answers. */

import { parseJson } from '../../platform/json.ts';
import { CLIENT_DEFAULTS } from '../../signals/options.ts';
import { CouldNotRunError, type Io } from '../io.ts';
import { nameOfInput, openInput } from './open-input.ts';

/** The limit of the client. */
const MAX_BYTES = CLIENT_DEFAULTS.maxBodyBytes;

/** Reads the body of one answer; `-`: standard input. Throws `CouldNotRunError`, which quotes nothing of the answer. */
export async function readAnswer(file: string, io: Io): Promise<unknown> {
  const name = nameOfInput(file);
  const parsed = parseJson(await readBytes(file, io));
  if (parsed.problem === undefined) return parsed.value;
  const place = parsed.line === undefined ? '' : ` (line ${parsed.line})`;
  throw new CouldNotRunError(`${name} ${parsed.problem}${place}`);
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
