/** `verdict audit events`: a log -> what people did, when and why. */

import type { Command } from 'commander';
import { EVENT_TYPES } from '../../../audit/entry/entry.ts';
import type { ListedEvent } from '../../../audit/query/list-events.ts';
import type { Styler } from '../../../report/outline.ts';
import { printable } from '../../../text.ts';
import { type Io, orCannotRun, UsageError } from '../../io.ts';
import { addJson, present, readSomeOf, readTime } from '../../options/arguments.ts';
import { addKeys, checkIsLog, logPlaceOf, readSecret } from '../../options/log-place.ts';
import { addReading, recordReading, subjectsNamed } from '../../options/reading.ts';
import { endWith } from '../../result.ts';

export function addEvents(audit: Command, io: Io): void {
  const command = audit
    .command('events <log>')
    .description('list what people did: cases that were opened or given away, personal data that was shown, searches')
    .option('--type <types...>', `only events of these types: ${EVENT_TYPES.join(', ')}`, readSomeOf(EVENT_TYPES))
    .option('--actor <name>', 'only what this person or key did: the whole name, such as "Rita Okoye <8f3c>"')
    .option('--subject <text>', 'only events about a phone number, email or IP address; - reads it from standard input')
    .option('--from <time>', 'from this day or instant on, UTC', readTime)
    .option('--to <time>', 'up to this day or instant, inclusive', readTime);
  addJson(addReading(addKeys(command)))
    .addHelpText('after', '\nNames and reasons are encrypted: without the keys they are left out.')
    .action(async (dir, options) => {
      checkIsLog(dir);
      const { listEvents } = await import('../../../audit/query/list-events.ts');
      const { type, actor, subject: named, from, to, by, why, unrecorded } = options;
      if (named === undefined && (by ?? why ?? unrecorded) !== undefined) {
        throw new UsageError('--by, --why and --unrecorded go with --subject; --actor says whose events are listed');
      }
      const place = logPlaceOf(dir, options, io);
      const subject = named === undefined ? undefined : await readSecret(named, io, 'the subject');
      const query = present({ types: type, by: actor, subject, from, to });
      const events = await orCannotRun(() => listEvents(place, query));
      if (subject !== undefined) {
        const subjects = await subjectsNamed(subject, place);
        await recordReading(place, { type: 'subject.searched', detail: 'events', subjects }, options, io);
      }
      await endWith(io, options, {
        data: () => events,
        text: (style) => events.map((each) => lineOf(each, style)).join('') || 'no event found\n',
      });
    });
}

function lineOf(event: ListedEvent, style: Styler): string {
  const { at, type, detail, object, by, why, details = {}, closed } = event;
  const about = [
    ...(detail === undefined ? [] : [detail]),
    ...(object === undefined ? [] : [`decision ${object}`]),
    ...Object.entries(details).map(([key, text]) => `${key} ${text}`),
  ];
  const who = by ?? (closed === 'erased' ? 'erased' : 'cannot be read');
  const more = why === undefined || why === '' ? '' : `  ${printable(why)}\n`;
  return `${at}  ${style('bold', type)}  ${printable([who, ...about].join(', '))}\n${more}`;
}
