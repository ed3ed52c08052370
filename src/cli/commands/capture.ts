/** `verdict mapping capture`: one applicant -> the raw answer of the service, to write a mapping for. */

import type { Command } from 'commander';
import { type Io, UsageError, writeJson } from '../io.ts';
import { present, readDay, readMany, readPair, requireWith } from '../options/arguments.ts';
import { addServiceOptions, connect } from '../options/service.ts';

export function addCapture(group: Command, io: Io): void {
  const command = group
    .command('capture')
    .description('ask about one applicant, which may be billed, and print the raw answer')
    .option('--phone <number>', 'phone number with country code')
    .option('--email <address>', 'email address')
    .option('--ip <address>', 'IPv4 address')
    .option('--service <name>', 'another service to ask, besides the risk service; repeatable', readMany)
    .option('--variable <name=value>', 'an identity variable for such a service; repeatable', readPair)
    .option('--reference <text>', 'your own reference of this call', 'capture')
    .option('--at <day>', 'the current day of the sandbox', readDay);
  addServiceOptions(command).action(async (options) => {
    const { phone, email, ip, service, variable, reference } = options;
    requireWith(options, ['at'], 'sandbox');
    if (phone === undefined) throw new UsageError('no applicant: give --phone, and --email and --ip if you have them');
    const { client, close } = await connect(options, io);
    try {
      const asked = { phoneNo: phone, clientReference: reference };
      const given = present({ email, ip, services: service, variables: variable });
      const { body } = await client.verify({ ...asked, ...given });
      await writeJson(io.stdout, body);
    } finally {
      await close();
    }
  });
}
