/** The files of a policy and a mapping -> what is read of them; the same as data, for another thread, and back. */

import { setImmediate } from 'node:timers/promises';
import { type Diagnostic, isPrivate, keepLineFromLogs } from '../../diagnostics.ts';
import { type Mapping, mappingData, mappingFromData, readMapping } from '../../facts/mapping/mapping.ts';
import { fingerprintOf } from '../../platform/files/disk-file.ts';
import { RE2 } from '../../platform/formats/re2.ts';
import type { Policy } from '../language.ts';
import { PolicyFolder } from '../read/files/folder.ts';
import { partsOfData } from '../read/files/texts.ts';
import { readPartsInTurns, readUnchecked } from '../read/read-policy.ts';
import type { ParameterSettings } from '../read/values/parameters.ts';
import { keepPositions, type Positions, policyData, positionsOf } from '../source-map.ts';

/** A file, and its name in diagnostics. */
interface NamedFile {
  readonly path: string;
  readonly shown: string;
}

/** Which files are read, and how. */
export interface FilesToRead {
  readonly policy: NamedFile;
  readonly mapping: NamedFile | undefined;
  readonly parameters: ParameterSettings | undefined;
  /** The list files, by absolute path, that must not be empty. */
  readonly filledLists: ReadonlySet<string>;
}

/** What is read of a file, with its problems. */
interface ReadFile<Content> {
  /** Undefined if there is an error among the diagnostics. */
  readonly content: Content | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The result of reading all files once, with the policy and the mapping or with their data. */
interface Read<PolicyContent, MappingContent> {
  readonly policy: ReadFile<PolicyContent>;
  /** Undefined if no mapping is asked for. */
  readonly mapping: ReadFile<MappingContent> | undefined;
  /** Every file that was named, existing or not, by absolute path, with its fingerprint just before. */
  readonly stamps: ReadonlyMap<string, string>;
  readonly filledLists: ReadonlySet<string>;
}

/** The result of reading all files once. */
export type FilesRead = Read<Policy, Mapping>;

/** A policy as data, with its positions. */
export interface PolicyAsData {
  readonly data: unknown;
  readonly positions: Positions;
}

/** The same as data. */
export interface FilesAsData extends Read<PolicyAsData, unknown> {
  /** By number, the diagnostics of policy and mapping whose lines may name people. */
  readonly privateLines: ReadonlySet<number>;
}

/** Reads all files. The policy is not checked: checks take long, and their warnings would not be seen. */
export function readFiles({ policy, mapping, parameters, filledLists }: FilesToRead): FilesRead {
  const folder = new PolicyFolder(policy.path, { shown: policy.shown, filledLists });
  if (mapping) folder.stamps.set(mapping.path, fingerprintOf(mapping.path));
  const mapped = mapping && readMapping(mapping.path, { shown: mapping.shown });
  // With errors, a mapping still has facts that the policy may read.
  const read = readUnchecked(folder, { mapping: mapped?.mapping ?? mapped, parameters, patterns: RE2 });
  return {
    policy: { content: read.policy, diagnostics: read.diagnostics },
    mapping: mapped && { content: mapped.mapping, diagnostics: mapped.diagnostics },
    stamps: folder.stamps,
    filledLists: folder.filledLists,
  };
}

/** A policy that was read, as data. */
export function policyAsData(policy: Policy): PolicyAsData {
  return { data: policyData(policy), positions: positionsOf(policy) };
}

/** What was read, as data. */
export function asData({ policy, mapping, ...rest }: FilesRead): FilesAsData {
  const { content } = policy;
  return {
    ...rest,
    policy: { ...policy, content: content && policyAsData(content) },
    mapping: mapping && { ...mapping, content: mapping.content && mappingData(mapping.content) },
    privateLines: new Set(diagnosticsOf({ policy, mapping }).flatMap((each, i) => (isPrivate(each) ? [i] : []))),
  };
}

/** How long the event loop is held up at a time, in milliseconds. */
const TURN_MS = 10;

/** What was read in another thread; other things run meanwhile. */
export async function fromData(
  { policy, mapping, privateLines, ...rest }: FilesAsData,
  { policy: { shown }, mapping: mappingFile }: FilesToRead,
): Promise<FilesRead> {
  for (const [i, diagnostic] of diagnosticsOf({ policy, mapping }).entries())
    if (privateLines.has(i)) keepLineFromLogs(diagnostic);
  const mapped =
    mapping?.content === undefined ? undefined : mappingFromData(mapping.content, { shown: mappingFile?.shown ?? '' });
  await setImmediate();
  const content = policy.content && (await policyOf(policy.content, mapped, shown));
  return { ...rest, policy: { ...policy, content }, mapping: mapping && { ...mapping, content: mapped } };
}

/** A policy that was read in another thread; other things run meanwhile. */
export async function policyOf(
  { data, positions }: PolicyAsData,
  mapping: Mapping | undefined,
  shown: string,
): Promise<Policy | undefined> {
  const turns = { turnMs: TURN_MS, pause: () => setImmediate() };
  const { policy } = await readPartsInTurns(partsOfData(data, shown), { mapping, patterns: RE2 }, turns);
  await setImmediate();
  if (policy) keepPositions(policy, positions);
  return policy;
}

function diagnosticsOf({ policy, mapping }: Pick<Read<unknown, unknown>, 'policy' | 'mapping'>): readonly Diagnostic[] {
  return [...policy.diagnostics, ...(mapping?.diagnostics ?? [])];
}
