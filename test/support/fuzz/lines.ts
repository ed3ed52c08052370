/** Lines of facts, answers and rows of applicants, mutated -> whether they are read, and never wrongly accepted. */

import { readRows } from '../../../src/cli/input/applicant-rows.ts';

import { CouldNotRunError } from '../../../src/cli/io.ts';
import { compile } from '../../../src/decision/matcher/matcher.ts';
import { type Facts, isMissing } from '../../../src/facts/fact.ts';
import { readFactsLine } from '../../../src/facts/facts-line.ts';
import { normalise } from '../../../src/facts/mapping/normalise.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { parseJson } from '../../../src/platform/json.ts';
import { readAllLines } from '../../../src/platform/text-lines.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { ASKED, anAnswer, SHAPES, type Shape, TODAY } from '../facts/answers.ts';
import { pick, type Random } from '../facts/mutate.ts';
import { isSound } from '../facts/sound.ts';
import { ONBOARDING } from '../signals/clients.ts';
import type { FuzzCase, OpenTarget } from './case.ts';
import { mutateData, type Spelt, spellJson } from './spell.ts';
import { hostileText, times, withPiece } from './texts.ts';

const policy = loadPolicy(ONBOARDING);
const matcher = compile(policy);
const outcomeOf = (facts: Facts) => matcher.verdict(facts, TODAY).outcome;

/** A phone number and an email that no message may repeat. */
const PRIVATE = ['447700900461', 'canary-mail'] as const;

const leakIn = (message: string) =>
  PRIVATE.some((text) => message.includes(text)) ? `a message repeats a value: ${message}` : undefined;

function unsoundIn(facts: Facts): string | undefined {
  for (const [path, definition] of policy.facts) {
    const fact = facts.get(path);
    if (!fact || !isSound(fact, definition, TODAY)) return `${path} is unsound`;
  }
  return undefined;
}

function factsOf(body: unknown, { mapping, beside }: Shape): Facts {
  const given = normalise({ body }, mapping, ASKED, policy.facts, TODAY);
  return readFacts(new Map([...given, ...beside]), policy.facts, TODAY);
}

/** Values that no fact takes for its own: what is left may only make a decision stricter. */
const LOSSES = [{}, { value: null }, { value: { not: 'this' } }] as const;

const lossOf = (random: Random): unknown => ({ value: undefined, ...pick(LOSSES, random) }).value;

export const factsTarget: OpenTarget = async () => ({
  make(random) {
    const shape = pick(SHAPES, random);
    const facts = [...factsOf(anAnswer(shape, random), shape)].flatMap(([path, fact]) =>
      isMissing(fact) || policy.facts.get(path)?.origin === 'derived' ? [] : [[path, fact.value] as const],
    );
    const whole = { ...Object.fromEntries(facts), 'applicant.phoneNo': PRIVATE[0] };
    const isLoss = random() < 0.3;
    const lost = isLoss ? { ...whole, [pick(facts, random)[0]]: lossOf(random) } : whole;
    const line = { facts: lost, clientReference: 'R-1', at: TODAY };
    const mutated = isLoss ? { how: 'loss', data: line } : mutateData(line, random);
    const spelt = spellJson(mutated.data, random, isLoss ? 'plain' : undefined);
    return caseOf(mutated.how, spelt, async () => {
      for await (const text of readAllLines(chunksOf(spelt.bytes, random))) {
        const read = 'text' in text ? readFactsLine(text.text, policy.facts, TODAY) : { problem: text.problem };
        if ('problem' in read) return leakIn(read.problem);
        if (spelt.isRefused) return `accepted as ${spelt.how}`;
        const outcome = outcomeOf(read.facts);
        if (isLoss && outcome === 'accept') {
          const before = readFactsLine(JSON.stringify({ facts: whole }), policy.facts, TODAY);
          if ('facts' in before && outcomeOf(before.facts) !== 'accept') return 'a loss leads to accept';
        }
        return unsoundIn(read.facts);
      }
      return undefined;
    });
  },
  close() {},
});

export const answersTarget: OpenTarget = async () => ({
  make(random) {
    const shape = pick(SHAPES, random);
    const mutated = mutateData(anAnswer(shape, random), random);
    const spelt = spellJson(mutated.data, random);
    return caseOf(`${shape.name}, ${mutated.how}`, spelt, async () => {
      const parsed = parseJson(spelt.bytes);
      if (parsed.problem !== undefined) return undefined;
      if (spelt.isRefused) return `accepted as ${spelt.how}`;
      const facts = factsOf(parsed.value, shape);
      matcher.verdict(facts, TODAY);
      return unsoundIn(facts);
    });
  },
  close() {},
});

const COLUMNS = ['phoneNo', 'email', 'ip', 'reference', 'variable.firstName'] as const;

const CELLS: Readonly<Record<(typeof COLUMNS)[number], string>> = {
  phoneNo: `+${PRIVATE[0]}`,
  email: `${PRIVATE[1]}@copper-kettle.example`,
  ip: '203.0.113.7',
  reference: 'R',
  'variable.firstName': 'Ada',
};

export const csvTarget: OpenTarget = async () => ({
  make(random) {
    const isPlain = random() < 0.3;
    const delimiter = pick([',', ';', '\t'], random);
    const cell = (text: string) => (isPlain || random() < 0.7 ? text : hostileCell(text, random));
    const records = Array.from({ length: 1 + times(random) }, (_, i) =>
      COLUMNS.map((name) => cell(name === 'reference' ? `R-${i}` : CELLS[name])).join(delimiter),
    );
    const header = COLUMNS.map((name) => (isPlain || random() < 0.97 ? name : hostileCell(name, random)));
    const text = [header.join(delimiter), ...records].join(pick(['\n', '\r\n'], random));
    const isCut = !isPlain && random() < 0.2;
    const bytes = Buffer.from(isCut ? text.slice(0, Math.floor(random() * text.length)) : text);
    const how = isPlain ? 'plain' : isCut ? 'cut' : 'hostile cells';
    return caseOf(how, { how: delimiter, bytes }, async () => {
      const { rows, problem } = await readAll(bytes, 'csv', random);
      if (isPlain && rows !== records.length) return `${rows} of ${records.length} rows`;
      return problem;
    });
  },
  close() {},
});

export const ndjsonTarget: OpenTarget = async () => ({
  make(random) {
    const row = { ...CELLS, 'variable.firstName': undefined, variables: { firstName: 'Ada' }, reference: 'R-1' };
    const mutated = mutateData(JSON.parse(JSON.stringify(row)), random);
    const spelt = spellJson(mutated.data, random);
    return caseOf(mutated.how, spelt, async () => {
      const { good, problem } = await readAll(spelt.bytes, 'ndjson', random);
      return spelt.isRefused && good > 0 ? `accepted as ${spelt.how}` : problem;
    });
  },
  close() {},
});

function caseOf(how: string, spelt: Pick<Spelt, 'how' | 'bytes'>, run: FuzzCase['run']): FuzzCase {
  return { how: `${how}; ${spelt.how}`, bytes: spelt.bytes, run };
}

function hostileCell(text: string, random: Random): string {
  const cell = random() < 0.5 ? withPiece(text, random) : hostileText(random);
  return random() < 0.5 ? cell : `"${random() < 0.8 ? cell.replaceAll('"', '""') : cell}"`;
}

async function readAll(bytes: Buffer, format: 'csv' | 'ndjson', random: Random) {
  let [rows, good, last] = [0, 0, 0];
  try {
    for await (const row of readRows(chunksOf(bytes, random), { format, facts: policy.facts, ignore: [] })) {
      rows += 1;
      if (row.line <= last) return { rows, good, problem: `line ${row.line} follows line ${last}` };
      last = row.line;
      const leak = 'problem' in row ? leakIn(row.problem) : undefined;
      if (leak !== undefined) return { rows, good, problem: leak };
      if (!('problem' in row)) good += 1;
    }
  } catch (error) {
    // The header of a file may be refused.
    if (!(error instanceof CouldNotRunError)) throw error;
    return { rows, good, problem: leakIn(error.message) };
  }
  return { rows, good, problem: undefined };
}

/** The bytes in chunks that may end anywhere, also within a character. */
async function* chunksOf(bytes: Buffer, random: Random): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; ) {
    const to = from + 1 + Math.floor(random() ** 2 * bytes.length);
    yield bytes.subarray(from, to);
    from = to;
  }
}
