/** Searches of facts, counts and replays read the lines to which the index leads: the answers are those of the log. */

import { expect, it, onTestFinished } from 'vitest';
import { homeOf } from '../../../src/audit/home.ts';
import { openLogIndex } from '../../../src/audit/index/open-index.ts';
import { addNote } from '../../../src/audit/query/note.ts';
import { replayLog } from '../../../src/audit/query/replay/replay.ts';
import { type SearchOptions, searchLog } from '../../../src/audit/query/search.ts';
import { COUNT_KEYS } from '../../../src/audit/read/count-by.ts';
import type { SearchQuery } from '../../../src/audit/read/criteria.ts';
import { passes, readQuery } from '../../../src/audit/read/filter.ts';
import type { ClearFields } from '../../../src/audit/read/search-entry.ts';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { dice } from '../../bench/dice.ts';
import { localVerifier, logFolder, personOf } from '../../support/audit/decisions.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';
import { SEED } from '../../support/seed.ts';

const DAY_MS = 86_400_000;
const BEGIN = Date.UTC(2026, 10, 1);
const DAYS = 5;

const RULES = [
  '{ id: phone, when: { phone.riskLevel: { atLeast: high } }, then: reject }',
  '{ id: email, when: { email.address.riskLevel: { atLeast: high } }, then: review }',
  '{ id: market, when: { context.market: DE }, then: review }',
];
const FACTS = 'facts: { context.market: { type: string } }\n';
/** The second has no market. */
const policies = () =>
  [
    policyOf(`${HEAD}${FACTS}rules:\n${RULES.map((rule) => `  - ${rule}\n`).join('')}`),
    policyOf(`${HEAD.replace('policy: ', 'policy: other-')}rules:\n  - ${RULES[1]}\n`),
  ] as const;

const die = dice(SEED);
const randomInt = (below: number): number => Math.floor(die() * below);
const pick = <Value>(values: readonly Value[]): Value => values[randomInt(values.length)] as Value;
const some = <Fields extends object>(fields: Fields): Partial<Fields> => (randomInt(2) === 0 ? fields : {});

function randomQuery(names: readonly string[]): SearchQuery {
  const day = (n: number) => new Date(BEGIN + n * DAY_MS).toISOString().slice(0, 10);
  const from = randomInt(DAYS);
  return {
    ...some({ from: day(from), ...some({ to: day(from + randomInt(3)) }) }),
    ...some({ outcomes: [pick(['accept', 'review', 'reject'] as const)] }),
    ...some({ rules: [pick(['phone', 'email', 'market'])] }),
    ...some({ reasons: [pick(['PHONE', 'EMAIL', 'DEFAULT'])] }),
    ...some({ policies: [pick(names)] }),
    ...some({ undetermined: true as const }),
  };
}

function randomOptions(): SearchOptions {
  return {
    ...some({ countBy: [...new Set([pick(COUNT_KEYS), pick(COUNT_KEYS)])] }),
    ...some({ facts: { [pick(['context.market', 'phone.type'])]: pick(['DE', 'FR', 'mobile']) } }),
    ...some({ where: pick(['context.market: DE', 'phone.riskLevel: { atLeast: medium }', 'phone.nothing: 1']) }),
    limit: pick([1, 3, 100]),
  };
}

const settled = (work: Promise<unknown>) => work.catch((error: unknown) => error);

it('of random logs, whatever is asked', async () => {
  const known = policies();
  for (let round = 0; round < sampled(1, 40); round++) {
    const { place, open } = await logFolder();
    const logs = [await open({ segmentBytes: 9000 }), await open()];
    let now = BEGIN;
    const deciders = logs.map((audit, i) =>
      createDecider({ policy: known[i === 0 ? 0 : 1], verify: localVerifier, audit, now: () => now }),
    );
    for (let n = 0; n < 30; n++) {
      now = BEGIN + randomInt(DAYS) * DAY_MS + randomInt(1000);
      const context = n % 2 === 0 ? { context: { market: pick(['DE', 'FR']) } } : {};
      const which = randomInt(2);
      const { id } = (await deciders[which]?.decide(personOf(randomInt(11)), which === 0 ? context : {})) ?? {};
      const [log] = logs;
      if (id && log && n % 4 === 0) {
        await addNote({ log, decision: id, disposition: pick(['approve', 'fraud']), by: 'A', why: 'B' });
      }
      if (log && n % 15 === 14) await eraseSubject({ log, subject: personOf(randomInt(11)).email });
    }
    await Promise.all(logs.map((audit) => audit.close()));
    const index = await openLogIndex(place);
    onTestFinished(() => index.close());
    for (let i = 0; i < sampled(10, 100); i++) {
      const [query, options] = [randomQuery(known.map(({ name }) => name)), randomOptions()];
      const noted = { ...query, ...some({ dispositions: [pick(['approve', 'fraud'] as const)] }) };
      const without = await settled(searchLog(place, noted, options));
      expect([noted, options, await settled(searchLog(place, noted, { ...options, index }))]).toEqual([
        noted,
        options,
        without,
      ]);
      const filter = await readQuery(query, await homeOf(place));
      const isWanted = (record: ClearFields) => passes(record, filter) === true;
      const replaying = { ...place, isWanted, ...some({ policy: pick(known) }) };
      const plain = await replayLog(replaying);
      expect([query, await replayLog({ ...replaying, narrowing: { index, filter } })]).toEqual([query, plain]);
    }
  }
});
