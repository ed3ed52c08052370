/** `verdict people`: invites people of a pilot without an issuer, lists them, and takes it back. */

import type { Command, OptionValues } from 'commander';
import type { Invitation, Invitations } from '../../../service/auth/invitations.ts';
import { INVITATION_DAYS, INVITED_NAME, INVITED_ROLES, ROLES, type Role } from '../../../service/auth/roles.ts';
import { count, didYouMean, printable } from '../../../text.ts';
import { CouldNotRunError, type Io, orCannotRun, say, UsageError, write } from '../../io.ts';
import { addJson, type NoOptions, type OptionsOf, readSomeOf } from '../../options/arguments.ts';
import { endWith } from '../../result.ts';

export function addPeopleCommands(program: Command, io: Io): void {
  const command = program
    .command('people')
    .description('invite people to the pages of `verdict serve`, without an issuer');
  addOptions(command.command('invite <name>')).action((name, options) => invite(name, options, io));
  addJson(withConfig(command.command('list').description('list who was invited'))).action((options) =>
    list(options, io),
  );
  withConfig(command.command('revoke <name>'))
    .description('end the links and the sessions of a person')
    .action((name, options) => revoke(name, options, io));
}

function withConfig<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command.option('--config <file>', 'the configuration, which names the state', 'serve.yaml');
}

function addOptions(command: Command<[string]>) {
  return withConfig(command)
    .description('print a link that lets a person in once, within seven days')
    .requiredOption('--role <role>', `what they may do: ${INVITED_ROLES.join(', ')}; repeatable`, readSomeOf(ROLES));
}

type WithConfig = OptionsOf<typeof withConfig<[], NoOptions>>;

/** Works with the invitations of a service whose `people` are invited. */
async function withInvitations<Result>(
  { config }: WithConfig,
  io: Io,
  work: (invitations: Invitations, origin: string) => Promise<Result>,
): Promise<Result> {
  const { createInvitations } = await import('../../../service/auth/invitations.ts');
  const { findStatePlace } = await import('../../../service/config/places.ts');
  const { readServeConfig } = await import('../../../service/config.ts');
  const { openState } = await import('../../../stores/state/state.ts');
  return orCannotRun(async () => {
    const { people, state: place, limits } = readServeConfig(config);
    if (!people || 'issuer' in people) {
      const how = 'write `people: { origin: …, invite: true }` into serve.yaml';
      const why = people ? 'the issuer signs people in' : 'the service has no pages';
      throw new CouldNotRunError(`nobody is invited here, ${why}: ${how}`);
    }
    const state = await openState({ ...findStatePlace(place, io.env), rememberMs: limits.rememberMs });
    return work(createInvitations(state), people.origin).finally(state.close);
  });
}

async function invite(name: string, options: OptionsOf<typeof addOptions>, io: Io): Promise<void> {
  if (!INVITED_NAME.is(name)) throw new UsageError(`the name of a person has to be ${INVITED_NAME.expected}`);
  const roles = [...new Set(options.role)];
  const refused = roles.find((role) => REFUSED[role] !== undefined);
  if (refused) throw new UsageError(`who is invited does not get the role ${refused}: ${REFUSED[refused]}`);
  const link = await withInvitations(options, io, async (invitations, origin) => {
    return `${origin}/invited/${await invitations.invite(name, roles)}`;
  });
  await write(io.stdout, `${link}\n`);
  await say(io.stderr, `This is shown once. It lets ${printable(name)} in once, within ${INVITATION_DAYS} days.\n`);
}

const REFUSED: Partial<Record<Role, string>> = {
  approve: 'who approves policies and corrects the queue signs in at an issuer, see docs/sign-in.md',
  decide: 'give it to a key of a program, with `verdict key add`',
};

async function list(options: OptionsOf<typeof addJson<[], WithConfig>>, io: Io): Promise<void> {
  const invited = await withInvitations(options, io, ({ list }) => list());
  const { countedTable } = await import('../../../report/plain-text.ts');
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const rows = invited.map((each) => [each.name, each.roles.join(', '), dayOf(each.madeAt), stateOf(each)]);
  await endWith(io, options, {
    data: () => invited,
    text: (style) =>
      countedTable({ columns: ['name', 'roles', 'invited', 'link'], rows }, count(rows.length, 'invitation'), style),
  });
}

function stateOf({ usedAt, hasExpired }: Invitation): string {
  if (usedAt !== null) return `used ${new Date(usedAt).toISOString().slice(0, 10)}`;
  return hasExpired ? 'expired' : 'open';
}

async function revoke(name: string, options: WithConfig, io: Io): Promise<void> {
  const unknown = await withInvitations(options, io, async (invitations) => {
    const others = (await invitations.list()).map((each) => each.name);
    return (await invitations.revoke(name)) ? undefined : others;
  });
  if (unknown) {
    const { hint = '`verdict people list` shows who was' } = didYouMean(name, unknown);
    throw new UsageError(`nobody of that name was invited; ${hint}`);
  }
  await say(io.stderr, `${printable(name)} is let in no more, and is signed out\n`);
}
