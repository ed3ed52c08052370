/** `verdict webhook`: what a webhook did not deliver -> sent again. */

import type { Command } from 'commander';
import { count } from '../../../text.ts';
import { type Io, orCannotRun, say, UsageError } from '../../io.ts';

export function addWebhookCommands(program: Command, io: Io): void {
  program
    .command('webhook')
    .description('send again what a webhook of `verdict serve` did not deliver')
    .command('resend <name>')
    .description('send what failed or was given up again, also to a receiver that wanted no more')
    .option('--config <file>', 'the configuration, which names the state', 'serve.yaml')
    .action(async (name, { config }) => {
      const { findStatePlace } = await import('../../../service/config/places.ts');
      const { readServeConfig } = await import('../../../service/config.ts');
      const { openState } = await import('../../../stores/state/state.ts');
      const resent = await orCannotRun(async () => {
        const { state: place, limits, webhooks = [] } = readServeConfig(config);
        if (!webhooks.some((each) => each.name === name))
          throw new UsageError('serve.yaml has no webhook of that name');
        const { outbox, close } = await openState({ ...findStatePlace(place, io.env), rememberMs: limits.rememberMs });
        return outbox.resend(name).finally(close);
      });
      await say(io.stderr, `a running service sends ${count(resent, 'event')} now\n`);
    });
}
