/** `verdict velocity show`: values of an applicant, and a policy -> what it would count for them now. */

import type { Command } from 'commander';
import type { CountedNumber } from '../../../decision/velocity-store.ts';
import { dayOfInstant } from '../../../facts/day.ts';
import type { Facts } from '../../../facts/fact.ts';
import type { Policy } from '../../../policy/language.ts';
import { addPolicyFiles, loadPolicyFiles } from '../../input/load-policy.ts';
import { type Io, UsageError } from '../../io.ts';
import { type OptionsOf, readPair, today } from '../../options/arguments.ts';
import { addStore, storeOptions, withVelocity } from '../../options/velocity-store.ts';
import { endWith } from '../../result.ts';

export function addShow(velocity: Command, io: Io): void {
  withOptions(velocity.command('show')).action(async (options) => {
    const store = await storeOptions(options, io);
    const policy = await loadPolicyFiles(options);
    const { velocitiesIn, velocityWords } = await import('../../../facts/velocity.ts');
    const { planCounting } = await import('../../../decision/velocity.ts');
    const velocities = velocitiesIn(policy.facts);
    const seen = { decision: '', reference: '', facts: await readValues(options, policy) };
    const counted = await withVelocity(store, async (opened) => {
      const { counting, paths } = planCounting(policy.name, velocities, seen, opened);
      const counts = await opened.peek({ ...counting, at: Date.now() });
      return new Map(paths.map((path, i) => [path, shown(counts[i] ?? null)]));
    });
    const rows = [...velocities].map(([path, each]) => {
      return { velocity: path, counts: velocityWords(each), now: counted.get(path) ?? null };
    });
    const { countedTable } = await import('../../../report/plain-text.ts');
    const texts = rows.map(({ velocity: path, counts, now }) => [path, counts, now === null ? '' : `${now}`]);
    const words = `${counted.size} of ${rows.length} count by a value that was given`;
    const table = { columns: ['velocity', 'counts', 'now'], rows: texts };
    await endWith(io, options, { data: () => rows, text: (style) => countedTable(table, words, style) });
  });
}

type Options = OptionsOf<typeof withOptions>;

function withOptions(show: Command) {
  const command = show
    .description('show what a policy would count now for a phone number, email or IP address; nobody is listed')
    .option('--phone <number>', 'phone number with country code')
    .option('--email <address>', 'email address')
    .option('--ip <address>', 'IP address')
    .option('--context <name=value>', 'a fact that the policy declares as context.NAME; repeatable', readPair);
  return addStore(addPolicyFiles(command));
}

/** A count, or from when on it is complete. */
function shown(count: CountedNumber): number | string {
  if (count === null) return 'none seen';
  return typeof count === 'number' ? count : `complete from ${dayOfInstant(count.completeAt)}`;
}

/** The facts of the values, in the form in which they are counted. */
async function readValues({ phone, email, ip, context = {} }: Options, { facts: table }: Policy): Promise<Facts> {
  const { identityFacts, readApplicant } = await import('../../../decision/request.ts');
  const { readFacts } = await import('../../../facts/read.ts');
  const { readContextOption } = await import('../../input/context.ts');
  const applicant = readApplicant({ phoneNo: phone, email, ip });
  const invalid = applicant.warnings.find(({ code, variable }) => {
    return code === 'VARIABLE_INVALID' && !(variable === 'ip' && applicant.ipv6);
  });
  if (invalid) throw new UsageError(invalid.text.replace(/;.*/, ''));
  const given = identityFacts(applicant);
  const values = readContextOption(context, table);
  for (const [name, value] of Object.entries(values)) given.set(`context.${name}`, { value });
  return readFacts(given, table, today());
}
