/** Services of one state that decide by different forms of a policy: each says so, and Home does. */

import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initAuditLog } from '../../src/audit/init.ts';
import { homeData } from '../../src/service/workbench/data/home-data.ts';
import { quickRules } from '../support/service/rules.ts';
import { startTestService, type TestService, untilIndexed } from '../support/service/running.ts';
import { HAS_POSTGRES, KEY, PostgresServer } from '../support/stores/state/postgres.ts';
import { sql } from '../support/stores/state/processes.ts';

interface Part {
  readonly part: string;
  readonly ok: boolean;
  readonly digest?: string;
  readonly differs?: string;
}

async function formsAt({ adminUrl }: TestService) {
  const answer = await fetch(`${adminUrl}/readyz`);
  const { parts } = (await answer.json()) as { parts: readonly Part[] };
  return { status: answer.status, forms: parts.filter(({ part }) => part.startsWith('forms of ')) };
}

const server = PostgresServer.shared();

const HOMES = [
  {
    title: 'SQLite',
    isThere: true,
    place: async () => {
      const dir = join(mkdtempSync(join(tmpdir(), 'state-')), 'state');
      return { state: `{ dir: ${dir} }`, env: {}, change: async (text: string) => sql(dir, text) };
    },
  },
  {
    title: 'PostgreSQL (skipped where postgresql is not installed)',
    isThere: HAS_POSTGRES,
    place: async () => {
      const env = { STATE_URL: await server.newSchema(), STATE_KEY: KEY };
      const state = '{ postgresVariable: STATE_URL, keyVariable: STATE_KEY }';
      return { state, env, change: (text: string) => server.sql(env.STATE_URL, text) };
    },
  },
];

describe.each(HOMES)('policies in force in $title', ({ isThere, place }) => {
  it.skipIf(!isThere)('that differ for longer than a minute are told, and by whom', async () => {
    const { state, env, change } = await place();
    const rules = quickRules();
    const edited = mkdtempSync(join(tmpdir(), 'rules-'));
    cpSync(rules, edited, { recursive: true });
    const edit = (name: string, line: RegExp, to: string) => {
      const file = join(edited, name);
      writeFileSync(file, readFileSync(file, 'utf8').replace(line, to));
    };
    edit('onboarding.yaml', /^version: .*$/m, 'version: "another"');
    edit('signals.yaml', /^placeholders: .*$/m, 'placeholders: ["N/A"]');
    const audit = join(mkdtempSync(join(tmpdir(), 'log-')), 'log');
    await initAuditLog({ dir: audit });
    const services = await Promise.all(
      [rules, rules, rules, edited].map((each) => startTestService({ state, env, audit, rules: each })),
    );
    const known = async () => (await change('select distinct process from in_force')).length;
    await expect.poll(known).toBe(4);
    const [one, , , other] = services as [TestService, TestService, TestService, TestService];
    // An edit needs its time.
    expect(await formsAt(one)).toEqual({ status: 200, forms: [] });
    await change('update in_force set since = since - 60000');
    const [[mapping, minority], [, majority]] = [(await formsAt(other)).forms, (await formsAt(one)).forms];
    expect(minority).toMatchObject({
      ...{ part: 'forms of policy onboarding', ok: true },
      differs: expect.stringMatching(
        /^3 of 4 processes decide by [\da-f]{8}…, 1 by [\da-f]{8}… since \d{4}-\d\d-\d\d \d\d:\d\d UTC$/,
      ),
    });
    expect(majority).toEqual({ ...minority, digest: majority?.digest });
    expect(mapping).toMatchObject({
      part: 'forms of mapping of onboarding',
      differs: expect.stringMatching(/^3 of 4 /),
    });
    const shown = (part: Part | undefined) => part?.digest?.replace('sha256:', '').slice(0, 8);
    expect(minority?.differs).toContain(`3 of 4 processes decide by ${shown(majority)}…, 1 by ${shown(minority)}…`);
    await untilIndexed(other);
    expect((await homeData(other.service)).attention).toContain(`Of policy onboarding, ${minority?.differs}.`);
    // A process that has not been heard of for half a minute has ended.
    await other.drain();
    await change(`update in_force set seen = seen - 30000 where process in
      (select process from in_force where digest = '${minority?.digest}')`);
    expect(await formsAt(one)).toEqual({ status: 200, forms: [] });
  });
});
