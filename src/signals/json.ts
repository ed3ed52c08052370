/** The bytes of an answer -> its JSON value, or what is wrong with it. */

/** Deeper than any sensible answer. Later readers of the value may recurse, so its depth is limited here. */
const MAX_DEPTH = 100;

/** A parsed value, or the problem with the text; the problem quotes none of the text. */
export type Parsed = { readonly problem: undefined; readonly value: unknown } | { readonly problem: string };

/** Parses UTF-8 JSON (RFC 8259). A byte order mark is allowed. */
export function parseJson(bytes: Uint8Array): Parsed {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { problem: 'is not UTF-8 text' };
  }
  if (nestsDeeper(text, MAX_DEPTH)) return { problem: `nests deeper than ${MAX_DEPTH} levels` };
  try {
    return { problem: undefined, value: JSON.parse(text) };
  } catch {
    // The error of JSON.parse quotes the text, so it is dropped.
    return { problem: text.trim() === '' ? 'is empty; JSON was expected' : 'is not JSON' };
  }
}

function nestsDeeper(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (inString) {
      if (c === '\\') i++;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === '{' || c === '[') {
      if (++depth > limit) return true;
    } else if (c === '}' || c === ']') depth--;
  }
  return false;
}
