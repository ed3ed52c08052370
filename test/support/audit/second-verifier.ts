/** `node second-verifier.ts DIR [CHECKPOINT [PUBLIC_KEY]]`: an audit log -> its findings, of each chain the first.
 *  Written from the format alone, slow and plain, to check the engine's own verifier. */

import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** `chain` is empty for the log's own files; `segment` and `line` are 0 for a finding about a file or a chain. */
export type Bad = { readonly code: string; readonly chain: string; readonly segment: number; readonly line: number };
type Json = Record<string, unknown>;
type Promises = Map<string, { readonly n: number; readonly hash: string }>;
const V7 = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const [N8, N6] = [8, 6].map((n) => `(?!0{${n}})([1-9]\\d{0,6})?\\d{${n}}`);
const FILE = new RegExp(`^(${N8}[.]ndjson|tombstone-${N8}[.]json|owner-${N6}[.]json|torn-(0{8}|${N8})-(0|[1-9]\\d*))$`);

const text = (value: unknown) => typeof value === 'string';
const is = (pattern: string) => (value: unknown) => text(value) && new RegExp(`^(?:${pattern})$`).test(`${value}`);
const isObject = (value: unknown): value is Json => Object.prototype.toString.call(value) === '[object Object]';

/** The types that `FORMS` names; any other name is that of a form, or JSON. */
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  text,
  count: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  number: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  origin: is('[!-~]{1,200}'),
  place: (value) => value === null || text(value),
  object: isObject,
  id: is(V7),
  hash: is('[0-9a-f]{64}'),
  digest: is('sha256:[0-9a-f]{64}'),
  keyid: is('[0-9a-f]{16}'),
  subject: is('[1-9][0-9]*:[0-9a-f]{64}'),
  key: is(`${V7}[.][1-9][0-9]*[.][1-9][0-9]*:(0|[1-9][0-9]*)`),
  outcome: is('accept|review|reject|aborted'),
  said: is('approve|decline|fraud|genuine'),
  day: (value) => text(value) && toIso(Date.parse(`${value}`)).slice(0, 10) === value,
  event: is('case[.](opened|reassigned)|data[.]revealed|subject[.]searched|key[.]changed|label[.]added'),
  code: is('[a-z][a-z.-]{0,40}'),
  at: (value) => is('[0-9]{4}-.*')(value) && toIso(Date.parse(`${value}`)) === value,
  base64: (value) => text(value) && Buffer.from(`${value}`, 'base64').toString('base64') === value,
  sealed: (value) => fits(value, 'base64') && Buffer.from(`${value}`, 'base64').length >= 28,
  links: (value) => isObject(value) && fits(Object.keys(value), 'sorted') && fits(Object.values(value), 'subject[]'),
  sorted: (value) => fits(value, 'text[]') && toText([...new Set(value as string[])].sort()) === toText(value),
};

/** The fields of each object, in order: `name:type`, or `name?:type` if optional. */
const FORMS: Readonly<Record<string, string>> = {
  open: 'log:id epoch:number engine:text segment:number torn?:torn',
  torn: 'segment:number offset:count bytes:number sha256:hash',
  decision: `id:id writtenAt:at subjects:subjects key?:key reference:subject replaces?:id links?:links outcome:outcome
    reasons?:reasons codes?:sorted rules:text[] undetermined:text[] missing:missing policy:policy mapping:digest
    engine:text sealed?:sealed plain?:object`,
  missing: 'notRequested sourceFailed unmapped notReturned invalid notGiven error'.replace(/\w+/g, '$&?:sorted'),
  reasons: 'decisive:sorted fired:sorted undetermined:sorted',
  subjects: 'phoneNo?:subject email?:subject ip?:subject',
  policy: 'name:text version:text digest:digest',
  note: 'id:id decision:id disposition:said knownOn?:day subjects:subjects key?:key sealed?:sealed plain?:object',
  event: `id:id type:event object?:id detail?:code actor:subject subjects:subjects key?:key
    sealed?:sealed plain?:object`,
  erasure: 'subject:subject[] records:id[] policies?:digest[]',
  seal: 'segment:number records:number',
  tombstone: `chain:id first:number from:at head:hash key:keyid last:number prev:hash prunedAt:at records:number
    segment:number signature:base64 to:at`,
  log: 'format:1 log:id origin:origin createdAt:at',
  head: 'seq:count hash:hash',
  owner: 'pid:number host:text start:place space:place boot:place machine:place head:head released?:true failed?:true',
};

function fits(value: unknown, type: string): boolean {
  if (type.endsWith('[]')) return Array.isArray(value) && value.every((one) => fits(one, type.slice(0, -2)));
  return TYPES[type]?.(value) ?? (isObject(value) ? hasFields(value, FORMS[type] ?? '') : toText(value) === type);
}

function hasFields(value: Json, form: string): boolean {
  const there = form.split(/\s+/).filter((one) => !one.includes('?') || Object.hasOwn(value, one.replace(/\?.*/, '')));
  const fields = there.map((one) => one.split(/\??:/));
  const hasTypes = fields.every(([name = '', type = '']) => fits(value[name], type));
  return hasTypes && toText(Object.keys(value)) === toText(fields.map(([name]) => name));
}

const toText = (value: unknown) => JSON.stringify(value);
const toIso = (time: number) => (Number.isFinite(time) ? new Date(time).toISOString() : '');
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const idOf = (key: KeyObject) => sha256(key.export({ type: 'spki', format: 'der' })).slice(0, 16);
const begunAt = (id: unknown) => Number.parseInt(`${id}`.replace('-', '').slice(0, 12), 16); // RFC 9562, 5.7
const pad = (number: unknown) => String(number).padStart(8, '0');
const isFile = (path: string) => attempt(() => lstatSync(path))?.isFile() ?? false;
const isFolder = (path: string) => attempt(() => lstatSync(path))?.isDirectory() ?? false;

/** The names in a folder, without temporary files that a crash left. */
function list(folder: string): string[] {
  const names = isFolder(folder) ? readdirSync(folder).sort() : [];
  return names.filter((name) => !/^\.new-[0-9a-f]{32}$/.test(name) || !isFile(join(folder, name)));
}

function attempt<T>(does: () => T): T | undefined {
  try {
    return does();
  } catch {
    return undefined;
  }
}

const utf8 = (bytes: Buffer) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
const readJson = (bytes: Buffer): unknown => attempt(() => JSON.parse(utf8(bytes)));

/** An object of a form in exactly the bytes that JSON writes for it; undefined for anything else or nested too deep. */
function readExact(bytes: Buffer, form = ''): Json | undefined {
  const value = readJson(bytes);
  return attempt(() => hasFields(value as Json, form) && toText(value) === utf8(bytes)) ? (value as Json) : undefined;
}

/** The same for a file of one line. */
function readExactFile(path: string, form: string): Json | undefined {
  const bytes = isFile(path) && lstatSync(path).size <= 65_536 ? readFileSync(path) : Buffer.of();
  return bytes.at(-1) === 10 ? readExact(bytes.subarray(0, -1), FORMS[form]) : undefined;
}

/** The findings of a log folder: in the log's own files, in each chain, and against a checkpoint. */
export function verifyAgain(dir: string, checkpoint?: Buffer, publicKey?: KeyObject): Bad[] {
  const found: Bad[] = [];
  const bad = (code: string, chain = '', segment = 0, line = 0) => {
    const isTold = found.some((one) => one.code === code && one.chain === chain);
    if (!isTold || !/duplicate-id|archive-m|key-s/.test(code)) found.push({ code, chain, segment, line });
    return false;
  };
  const [keys, ids] = [new Map<string, KeyObject>(), new Set<unknown>()];
  const folders = ['public', 'chains', 'policies', 'mappings'].filter((name) => isFolder(join(dir, name)));
  const known = [...folders, 'log.json', ...['', '-wal', '-shm', '-journal'].map((ending) => `index.sqlite${ending}`)];
  for (const name of list(dir)) if (!known.includes(name)) bad('file-unexpected');
  const file = readExactFile(join(dir, 'log.json'), 'log');
  const created = begunAt(file?.['log']);
  const log = toIso(created) === file?.['createdAt'] ? file : undefined;
  let logId = log?.['log'];
  if (!log) bad('log-invalid');
  for (const name of list(join(dir, 'public'))) readKey(name, join(dir, 'public', name));
  const paths = (folder: string) => list(join(dir, folder)).map((name) => join(dir, folder, name));
  for (const path of [...paths('policies'), ...paths('mappings')]) {
    const digest = /\/[0-9a-f]{64}\.json$/.test(path) && isFile(path) && sha256(readFileSync(path));
    if (!path.endsWith(`/${digest}.json`)) bad(digest ? 'archive-differs' : 'file-unexpected');
  }
  const promises: Promises = checkpoint ? readCheckpoint(checkpoint) : new Map();
  for (const name of list(join(dir, 'chains'))) {
    if (fits(name, 'id') && isFolder(join(dir, 'chains', name))) verifyChain(name, join(dir, 'chains', name));
    else bad('file-unexpected');
  }
  for (const one of promises.keys()) bad('checkpoint-chain-missing', one);
  return found;

  function readKey(name: string, path: string): void {
    const isKey = /^[0-9a-f]{16}\.pem$/.test(name) && isFile(path);
    const key = isKey && attempt(() => createPublicKey(readFileSync(path)));
    const isSame = key && readFileSync(path).equals(Buffer.from(key.export({ type: 'spki', format: 'pem' })));
    if (isSame && key.asymmetricKeyType === 'ed25519' && `${idOf(key)}.pem` === name) keys.set(idOf(key), key);
    else bad(isKey ? 'key-invalid' : 'file-unexpected');
  }

  function isSigned(text: string, keyId: unknown, signature: unknown): boolean {
    const key = (publicKey ? new Map([[idOf(publicKey), publicKey]]) : keys).get(`${keyId}`);
    return key !== undefined && verify(null, Buffer.from(text), key, Buffer.from(`${signature}`, 'base64'));
  }

  function readCheckpoint(bytes: Buffer): Promises {
    const note = bytes.toString('utf8');
    const rows = `((?:${V7} [1-9][0-9]{0,15} [0-9a-f]{64}\n)*)`;
    const form = `^verdict-audit/1 (${V7})\norigin (.+)\nat (.+)\n${rows}\n— (.+) ([0-9a-f]{16}) (.{86}==)\n$`;
    const [, of, origin, at, all = '', signer, keyId, signature] = new RegExp(form).exec(note) ?? [];
    const heads = (all.match(/.+/g) ?? []).map((row) => row.split(' '));
    const isOurs = of === log?.['log'] && origin === log?.['origin'] && signer === origin;
    const isFormed = fits(at, 'at') && fits(signature, 'base64') && Buffer.from(note).equals(bytes);
    const [names, lengths] = [heads.map(([chain]) => chain), heads.map(([, n]) => Number(n))];
    const isCounted = fits(names, 'sorted') && fits(lengths, 'number[]');
    const isTrue = isSigned(note.slice(0, note.lastIndexOf('\n\n') + 1), keyId, signature);
    const isGood = (isOurs && isFormed && isCounted && isTrue) || bad('checkpoint-invalid');
    return new Map(isGood ? heads.map(([chain = '', n, hash = '']) => [chain, { n: Number(n), hash }]) : []);
  }

  function verifyChain(chain: string, folder: string): void {
    const names = list(folder);
    const files = names.filter((name) => FILE.test(name) && isFile(join(folder, name)));
    const numbersOf = (kind: RegExp) => files.flatMap((name) => (kind.exec(name) ?? []).slice(1).map(Number));
    const [segments, tombstones] = [numbersOf(/^(\d+)/), numbersOf(/^tomb\D+(\d+)/)];
    const owners = files.filter((name) => name.startsWith('owner-')).sort((a, b) => a.length - b.length);
    const owner = readExactFile(join(folder, owners.at(-1) ?? ''), 'owner');
    const left = owner?.['head'] as Json | undefined;
    const stat = attempt(() => readFileSync(`/proc/${owner?.['pid']}/stat`, 'latin1').replace(/^.*\) /s, ''));
    const mayRun = owner?.['host'] !== hostname() || stat?.split(' ')[19] === owner['start'];
    const isWritten = owners.length > 0 && !owner?.['released'] && mayRun;
    const [promise, named, last] = [promises.get(chain), new Set<string>(), Math.max(0, ...segments, ...tombstones)];
    promises.delete(chain);
    if (log && begunAt(chain) < created - 86_400_000) bad('chain-too-old', chain);
    let [seq, hash, epoch, pruned, end, isSealed, lastKey] = [0, '0'.repeat(64), 0, 0, 0, false, ''];
    const isRead = walk();
    for (const name of names) {
      const isNamed = named.has(name) || !isRead || name === `torn-${pad(last)}-${end}`;
      if (!files.includes(name) || (name.startsWith('torn-') && !isNamed)) bad('file-unexpected', chain);
      else if (name.startsWith('owner-') && !readExactFile(join(folder, name), 'owner')) bad('owner-invalid', chain);
    }
    if (isRead && promise && promise.n > seq) bad('checkpoint-cut', chain);
    const most = owner?.['released'] && !owner['failed'] ? left?.['seq'] : Infinity;
    if (isRead && left && (Number(left['seq']) > seq || Number(most) < seq)) bad('end-differs', chain);

    function compareHeads(segment: number, line: number): void {
      if (promise?.n === seq && promise.hash !== hash) bad('checkpoint-rewritten', chain, segment, line);
      if (left?.['seq'] === seq && left['hash'] !== hash) bad('end-differs', chain, segment, line);
    }

    /** False if the chain could not be read up to its last complete line. */
    function walk(): boolean {
      for (let segment = 1; segment <= last; segment++) {
        if (tombstones.includes(segment)) {
          if (!readTombstone(segment)) return bad('tombstone-invalid', chain, segment);
          if (segments.includes(segment)) return bad('segment-unexpected', chain, segment);
          continue;
        }
        if (!segments.includes(segment)) return bad('segment-missing', chain, segment);
        const bytes = readFileSync(join(folder, `${pad(segment)}.ndjson`));
        let line = 1;
        for ([end, isSealed] = [0, false]; end < bytes.length; line++) {
          const newline = bytes.indexOf(10, end);
          if (newline === -1 && isSealed) return bad('after-seal', chain, segment, line);
          if (newline === -1 && segment === last && isWritten) return true;
          if (newline === -1) return bad('line-not-whole', chain, segment, line) || segment === last;
          const code = readLine(bytes.subarray(end, newline), segment, line);
          if (code !== '') return bad(code, chain, segment, line);
          end = newline + 1;
          compareHeads(segment, line);
        }
        if (segment < last && !isSealed) return bad('seal-missing', chain, segment, line);
      }
      return true;
    }

    function readTombstone(segment: number): boolean {
      const value = readExactFile(join(folder, `tombstone-${pad(segment)}.json`), 'tombstone');
      if (!value || pruned !== segment - 1) return false;
      const { signature, ...signed } = value;
      const { first, last: lastSeq, records, from, to } = signed;
      if (value['chain'] !== chain || value['segment'] !== segment || value['prev'] !== hash) return false;
      if (first !== seq + 1 || Number(lastSeq) - Number(first) !== records || `${from}` > `${to}`) return false;
      if (!isSigned(toText(signed), value['key'], signature)) return false;
      [seq, hash, pruned] = [Number(lastSeq), `${value['head']}`, segment];
      compareHeads(segment, 0);
      return true;
    }

    /** What is wrong with a line; undefined if it is valid. */
    function readLine(bytes: Buffer, segment: number, line: number): string {
      if (bytes.length > 16 * 1024 * 1024) return 'line-shape';
      const data = readJson(bytes);
      if (data === undefined) return 'line-not-json';
      const kind = isObject(data) && Object.hasOwn(data, 'kind') ? data['kind'] : undefined;
      const form = FORMS[['open', 'decision', 'note', 'event', 'erasure', 'seal'].find((one) => one === kind) ?? ''];
      const value =
        form && readExact(bytes, `chain:id seq:number prev:hash batch:number kind:text at:at ${form} hash:hash`);
      if (!value || (kind === 'decision' && 'codes' in value === 'reasons' in value)) return 'line-shape';
      const isSecret = ['sealed' in value, 'key' in value, !('plain' in value)];
      if (/^(decision|note|event)$/.test(`${kind}`) && new Set(isSecret).size > 1) return 'line-shape';
      if (sha256(bytes.subarray(0, -(',"hash":""}'.length + 64))) !== value['hash']) return 'hash-differs';
      if (value['chain'] !== chain) return 'chain-differs';
      if (isSealed) return 'after-seal';
      if (value['seq'] !== seq + 1) return 'sequence-broken';
      if (value['prev'] !== hash) return 'link-broken';
      const code = readKind(value, segment, line);
      if (code === '') [seq, hash, isSealed] = [Number(value['seq']), `${value['hash']}`, kind === 'seal'];
      return code;
    }

    function readKind(value: Json, segment: number, line: number): string {
      const { kind, id, torn, policy } = value;
      if (kind === 'seal' && (value['segment'] !== segment || value['records'] !== line - 1)) return 'seal-wrong';
      if (kind === 'open') {
        logId ??= value['log'];
        if (value['log'] !== logId) return 'log-differs';
        if (value['segment'] !== segment || Number(value['epoch']) <= epoch) return 'open-wrong';
        epoch = Number(value['epoch']);
        return isObject(torn) && !isSetAside(torn) ? 'torn-differs' : '';
      }
      if (seq === 0) return 'open-wrong';
      const same = toText([
        id,
        ...['decision', 'disposition', 'knownOn', 'subjects', 'plain'].map((name) => value[name]),
      ]);
      if (ids.has(id) && !(kind === 'note' && ids.has(same))) bad('duplicate-id', chain, segment, line);
      if (id !== undefined) ids.add(id).add(kind === 'note' ? same : id);
      const key = `${value['key'] ?? ''}`.replace(/[0-9]+/g, (digits) => digits.padStart(16, '0'));
      if (key > lastKey && `${value['key']}`.startsWith(chain)) lastKey = key;
      else if (key !== '') bad('key-shared', chain, segment, line);
      const kept = isObject(policy) ? [`policies/${policy['digest']}`, `mappings/${value['mapping']}`] : [];
      const areKept = kept.every((one) => isFile(join(dir, `${one.replace('sha256:', '')}.json`)));
      if (!areKept) bad('archive-missing', chain, segment, line);
      return '';
    }

    function isSetAside({ segment, offset, bytes: length, sha256: digest }: Json): boolean {
      const name = `torn-${pad(segment)}-${offset}`;
      named.add(name);
      const bytes = isFile(join(folder, name)) ? readFileSync(join(folder, name)) : Buffer.of();
      return bytes.length === length && sha256(bytes) === digest;
    }
  }
}

if (process.argv[1] === import.meta.filename) {
  const [dir = '.', ...paths] = process.argv.slice(2);
  const [note, key] = paths.map((path) => readFileSync(path));
  const found = verifyAgain(dir, note, key && createPublicKey(key));
  process.stdout.write(found.map((one) => `${toText(one)}\n`).join(''));
  process.exitCode = found.length > 0 ? 1 : 0;
}
