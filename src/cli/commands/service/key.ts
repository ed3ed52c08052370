/** `verdict key`: adds, lists and removes the keys of the HTTP service. */

import type { Command, OptionValues } from 'commander';
import { KEY_NAME, ROLES } from '../../../service/auth/roles.ts';
import { count, didYouMean } from '../../../text.ts';
import { type Io, orCannotRun, say, UsageError, write } from '../../io.ts';
import {
  addJson,
  type NoOptions,
  numberReader,
  type OptionsOf,
  readDay,
  readSomeOf,
  today,
} from '../../options/arguments.ts';
import { endWith } from '../../result.ts';

export function addKeyCommands(program: Command, io: Io): void {
  const command = program.command('key').description('add, list and remove the keys of `verdict serve`');
  addOptions(command.command('add <name>')).action((name, options) => add(name, options, io));
  addJson(withConfig(command.command('list').description('list the keys, without their secrets'))).action((options) =>
    list(options, io),
  );
  withConfig(command.command('remove <id-or-name>'))
    .description('remove a key by its id, or by its name if one key has it')
    .action((named, options) => remove(named, options, io));
}

function withConfig<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command.option('--config <file>', 'the configuration, which names the file of keys', 'serve.yaml');
}

function addOptions(command: Command<[string]>) {
  return withConfig(command)
    .description('add a key of a caller, and print it; it is shown this once')
    .requiredOption('--role <role>', `what it may do: ${ROLES.join(', ')}; repeatable`, readSomeOf(ROLES))
    .option('--rate <n>', 'the requests a second that are let in (default: any number)', readRate)
    .option('--expires <day>', 'the last day on which it is valid, UTC (default: no end)', readDay);
}

const readRate = numberReader(/^\d{1,6}(\.\d{1,3})?$/, (rate) => rate > 0, 'a number above 0');

type WithConfig = OptionsOf<typeof withConfig<[], NoOptions>>;

async function fileOf({ config }: WithConfig): Promise<string> {
  const { readServeConfig } = await import('../../../service/config.ts');
  return (await orCannotRun(async () => readServeConfig(config))).keysFile;
}

async function add(name: string, options: OptionsOf<typeof addOptions>, io: Io): Promise<void> {
  const { addKey } = await import('../../../service/auth/keys.ts');
  const { role, rate, expires } = options;
  if (!KEY_NAME.is(name)) {
    throw new UsageError(`the name of a key has to be ${KEY_NAME.expected}, such as onboarding-web`);
  }
  if (expires !== undefined && expires < today()) throw new UsageError('the day of --expires is over');
  const limits = { ...(rate === undefined ? {} : { rate }), ...(expires === undefined ? {} : { expires }) };
  const file = await fileOf(options);
  const key = await orCannotRun(() => addKey(file, { name, roles: [...new Set(role)], ...limits }));
  await write(io.stdout, `${key}\n`);
  await say(io.stderr, 'This is shown once: the file of keys has only a hash of it.\n');
}

async function list(options: OptionsOf<typeof addJson<[], WithConfig>>, io: Io): Promise<void> {
  const { readKeys } = await import('../../../service/auth/keys.ts');
  const file = await fileOf(options);
  const keys = await orCannotRun(async () => readKeys(file));
  const { countedTable } = await import('../../../report/plain-text.ts');
  const columns = ['id', 'name', 'roles', 'rate', 'expires', 'made'];
  const rows = keys.map(({ id, name, roles, rate, expires, createdAt }) => {
    const limits = [rate === undefined ? '' : `${rate} a second`, expires ?? ''];
    return [id, name, roles.join(', '), ...limits, createdAt.slice(0, 10)];
  });
  await endWith(io, options, {
    data: () => keys,
    text: (style) => countedTable({ columns, rows }, count(rows.length, 'key'), style),
  });
}

async function remove(named: string, options: WithConfig, io: Io): Promise<void> {
  const { readKeys, removeKey } = await import('../../../service/auth/keys.ts');
  const file = await fileOf(options);
  const keys = await orCannotRun(async () => readKeys(file));
  const byId = keys.filter(({ id }) => id === named);
  const found = byId.length > 0 ? byId : keys.filter(({ name }) => name === named);
  const [key, ...others] = found;
  if (!key) {
    const { hint = '`verdict key list` shows them' } = didYouMean(
      named,
      keys.map(({ name }) => name),
    );
    throw new UsageError(`no key has that id or name; ${hint}`);
  }
  if (others.length > 0) {
    throw new UsageError(
      `${found.length} keys have that name: remove one by its id, ${found.map(({ id }) => id).join(' or ')}`,
    );
  }
  await orCannotRun(() => removeKey(file, key.id));
  await say(io.stderr, `removed ${key.id} of ${key.name}; a running service refuses it within a second\n`);
}
