/** `verdict mapping capture`: one applicant -> the raw answer of the service, to write a mapping for. */

import type { Command } from 'commander';
import { type Io, UsageError, writeJson } from '../io.ts';
import { type OptionsOf, readDay, readMany, readPair, requireWith } from '../options/arguments.ts';
import { addServiceOptions, connect } from '../options/service.ts';

export function addCapture(group: Command, io: Io): void {
  withOptions(group.command('capture')).action((options) => capture(options, io));
}

function withOptions(group: Command) {
  const command = group
    .description('ask about one applicant, which may be billed, and print the raw answer')
    .option('--phone <number>', 'phone number with country code')
    .option('--email <address>', 'email address')
    .option('--ip <address>', 'IPv4 address')
    .option('--service <name>', 'another service to ask, besides the risk service; repeatable', readMany)
    .option('--variable <name=value>', 'an identity variable for such a service; repeatable', readPair)
    .option('--reference <text>', 'your own reference of this call', 'capture')
    .option('--at <day>', 'the current day of the sandbox', readDay);
  return addServiceOptions(command);
}

async function capture(options: OptionsOf<typeof withOptions>, io: Io): Promise<void> {
  const { phone, email, ip, service, variable, reference } = options;
  requireWith(options, ['at'], 'sandbox');
  if (phone === undefined) throw new UsageError('no applicant: give --phone, and --email and --ip if you have them');
  const { client, close } = await connect(options, io);
  try {
    const request = {
      phoneNo: phone,
      ...(email === undefined ? {} : { email }),
      ...(ip === undefined ? {} : { ip }),
      ...(service ? { services: service } : {}),
      ...(variable ? { variables: variable } : {}),
      clientReference: reference,
    };
    const { body } = await client.verify(request);
    await writeJson(io.stdout, body);
  } finally {
    await close();
  }
}
