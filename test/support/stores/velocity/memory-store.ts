/** The port to a store of velocity, as plainly as it can be said: what every store is held to. */

import { createHmac } from 'node:crypto';
import type { TimedMember, VelocityStore } from '../../../../src/decision/velocity-store.ts';

interface Counted {
  readonly application: string;
  readonly counts: readonly number[];
  readonly until: number;
}

/** A store in the memory of this process, which keeps everything until it is pruned. */
export function memoryStore(): VelocityStore {
  let members: TimedMember[] = [];
  let counted: Counted[] = [];
  const isSame = (one: Omit<TimedMember, 'at' | 'keepMs'>, other: Omit<TimedMember, 'at' | 'keepMs'>) =>
    one.of === other.of && one.kind === other.kind && one.member === other.member;
  const put = (added: TimedMember) => {
    const earlier = members.filter((each) => isSame(each, added));
    members = members.filter((each) => !isSame(each, added));
    const latest = (name: 'at' | 'keepMs') => Math.max(added[name], ...earlier.map((each) => each[name]));
    members.push({ ...added, at: latest('at'), keepMs: latest('keepMs') });
  };
  const isOf = ({ of, member }: TimedMember, hashes: readonly string[]) =>
    hashes.includes(of) || hashes.includes(member);
  /** Keeps what is to be kept, and returns how many members it did not. */
  const keep = (isKept: (member: TimedMember) => boolean) => {
    const before = members.length;
    members = members.filter(isKept);
    return before - members.length;
  };
  return {
    hash: (text) => createHmac('sha256', 'memory').update(text).digest('hex').slice(0, 32),
    async count({ application, at, counts, adds }) {
      const earlier = counted.find((each) => each.application === application);
      if (earlier) return earlier.counts;
      const numbers = counts.map(({ of, kind, withinMs }) => {
        const set = members.filter((each) => each.of === of && each.kind === kind);
        return set.filter((each) => each.at > at - withinMs).length;
      });
      for (const each of adds) put(each);
      const keepMs = Math.max(0, ...counts.map((each) => each.withinMs), ...adds.map((each) => each.keepMs));
      counted.push({ application, counts: numbers, until: at + keepMs });
      return numbers;
    },
    async add(added) {
      for (const each of added) put(each);
    },
    async remove(removed) {
      keep((member) => !removed.some((each) => isSame(each, member)));
    },
    async erase(hashes) {
      counted = counted.filter(({ application }) => !hashes.includes(application));
      return keep((member) => !isOf(member, hashes));
    },
    async countMembers(hashes) {
      return members.filter((member) => isOf(member, hashes)).length;
    },
    async prune(now) {
      counted = counted.filter(({ until }) => until > now);
      return keep(({ at, keepMs }) => at + keepMs > now);
    },
    async close() {},
  };
}
