/** Lines of facts, answers and rows of applicants, mutated -> whether they are read, and never wrongly accepted. */

import { readRows } from '../../../src/cli/input/applicant-rows.ts';

import { CouldNotRunError } from '../../../src/cli/io.ts';
import { compile } from '../../../src/decision/matcher/matcher.ts';
import { type Facts, isMissing } from '../../../src/facts/fact.ts';
import { readFactsLine } from '../../../src/facts/facts-line.ts';
import { normalise } from '../../../src/facts/mapping/normalise.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { readAllLines } from '../../../src/platform/files/text-lines.ts';
import { parseJson } from '../../../src/platform/json.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { ASKED, anAnswer, SHAPES, type Shape, TODAY } from '../facts/answers.ts';
import { pick, type Random } from '../facts/mutate.ts';
import { isSound } from '../facts/sound.ts';
import { ONBOARDING } from '../signals/clients.ts';
import type { FuzzCase, OpenTarget } from './case.ts';
import { hostileCsv } from './csv.ts';
import { mutateData, type Spelt, spellJson } from './spell.ts';

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

/** The cells of applicants, by column. */
const CELLS = {
  phoneNo: `+${PRIVATE[0]}`,
  email: `${PRIVATE[1]}@copper-kettle.example`,
  ip: '203.0.113.7',
  reference: 'R-1',
  'variable.firstName': 'Ada',
} as const;

const COLUMNS = Object.fromEntries(
  Object.entries(CELLS).map(([name, cell]) => [name, (row: number) => (name === 'reference' ? `R-${row}` : cell)]),
);

export const csvTarget: OpenTarget = async () => ({
  make(random) {
    const { how, bytes, records } = hostileCsv(COLUMNS, [',', ';', '\t'], random);
    return caseOf(how, { how: 'csv', bytes }, async () => {
      const { rows, problem } = await readAll(bytes, 'csv', random);
      return records === undefined || rows === records ? problem : `${rows} of ${records} rows`;
    });
  },
  close() {},
});

export const ndjsonTarget: OpenTarget = async () => ({
  make(random) {
    const row = { ...CELLS, 'variable.firstName': undefined, variables: { firstName: 'Ada' } };
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
