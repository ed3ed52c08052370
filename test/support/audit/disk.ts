/** A disk in memory that tells durable bytes from others -> the states in which a power failure may leave it. */

import type { FileState, Files, OpenFile, OpenMode } from '../../../src/audit/store/files.ts';
import type { Random } from '../facts/mutate.ts';

/** A change of a file's bytes. A lost one is not on the disk, but the system believes it is: its sync failed. */
interface Change {
  readonly at: number;
  /** Undefined if the change truncates the file. */
  readonly bytes: Buffer | undefined;
  lost: boolean;
}

interface DiskFile {
  readonly durable: Buffer;
  readonly pending: readonly Change[];
  readonly current: Buffer;
}

let inodes = 0;

/** A file's inode. */
class FileNode implements DiskFile {
  readonly id = `${inodes++}`;
  durable: Buffer = Buffer.alloc(0);
  pending: Change[] = [];
  current: Buffer = Buffer.alloc(0);

  change(at: number, bytes: Buffer | undefined): void {
    const change = { at, bytes: bytes && Buffer.from(bytes), lost: false };
    this.pending.push(change);
    this.current = apply(this.current, change);
  }

  sync(): void {
    this.durable = this.pending.reduce(apply, this.durable);
    this.pending = [];
  }

  get state(): FileState {
    return { kind: 'file', size: this.current.length, id: this.id };
  }

  fail(): void {
    for (const change of this.pending) change.lost = true;
  }
}

/** Names that one call gives or removes together. */
type Renaming = readonly (readonly [name: string, node: Node | undefined])[];

class FolderNode {
  readonly durable = new Map<string, Node>();
  pending: Renaming[] = [];
  readonly current = new Map<string, Node>();

  change(renaming: Renaming): void {
    this.pending.push(renaming);
    rename(this.current, renaming);
  }

  sync(): void {
    for (const renaming of this.pending.splice(0)) rename(this.durable, renaming);
  }
}

type Node = FileNode | FolderNode;

/** A call that is about to change something. */
export interface Call {
  readonly name:
    | 'create'
    | 'write'
    | 'truncate'
    | 'datasync'
    | 'makeFolder'
    | 'syncFolder'
    | 'link'
    | 'rename'
    | 'unlink';
  readonly path: string;
}

/** The fate of a call: it is done; it fails, a write maybe after some of its bytes; or it kills the process. */
export type Fate = 'done' | 'killed' | { readonly code: 'EIO' | 'ENOSPC' };

/** Decides the fate of each call that changes something. */
export type Watcher = (call: Call) => Fate;

/** A disk. Each process has a view of its own, through which a test watches and kills it. */
export class Disk {
  #root = new FolderNode();

  /** The file system of one process. Once one of its calls is killed, all are. */
  view(watch: Watcher = () => 'done'): Files {
    let isDead = false;
    const ask = (name: Call['name'], path: string): Fate => {
      const fate = isDead ? 'killed' : watch({ name, path });
      isDead = fate === 'killed';
      if (isDead) throw Object.assign(new Error('killed'), { code: 'KILLED' });
      return fate;
    };
    const reach = (name: Call['name'], path: string): void => {
      const fate = ask(name, path);
      if (typeof fate === 'object') throw errorOf(fate.code);
    };
    const open = async (path: string, mode: OpenMode): Promise<OpenFile> => {
      if (mode === 'create') {
        reach('create', path);
        this.#add(path, new FileNode());
      }
      return openNode(this.#file(path), path, mode, ask);
    };
    return {
      open,
      read: (path, from = 0) => this.#read(path, from),
      list: async (path) => [...this.#folder(path).current.keys()],
      stat: async (path) => {
        const [folder, name] = this.#locate(path);
        const node = folder.current.get(name);
        if (!node) throw errorOf('ENOENT');
        return node instanceof FileNode ? node.state : { kind: 'folder', size: 0, id: path };
      },
      makeFolder: async (path) => {
        reach('makeFolder', path);
        this.#add(path, new FolderNode());
      },
      syncFolder: async (path) => {
        reach('syncFolder', path);
        this.#folder(path).sync();
      },
      link: async (from, to) => {
        reach('link', to);
        const node = this.#file(from);
        this.#add(to, node);
      },
      rename: async (from, to) => {
        reach('rename', to);
        const node = this.#file(from);
        const [folder, name] = this.#locate(to);
        const [fromFolder, fromName] = this.#locate(from);
        if (folder !== fromFolder) throw new Error('only inside one folder');
        folder.change([
          [name, node],
          [fromName, undefined],
        ]);
      },
      unlink: async (path) => {
        reach('unlink', path);
        const [folder, name] = this.#locate(path);
        folder.change([[name, undefined]]);
      },
    };
  }

  /**
   * The disk after a power failure now. Of the changes that are not durable it keeps a random part, independently for
   * each file and folder; without `random` it keeps none.
   */
  crash(random?: Random): Disk {
    const after = new Disk();
    const copies = new Map<Node, Node>();
    const copy = (node: Node): Node => {
      const known = copies.get(node);
      if (known) return known;
      const made = node instanceof FileNode ? new FileNode() : new FolderNode();
      copies.set(node, made);
      if (node instanceof FileNode && made instanceof FileNode) {
        made.durable = remains(node, random);
        made.current = made.durable;
      } else if (node instanceof FolderNode && made instanceof FolderNode) {
        const kept = new Map(node.durable);
        const how = random ? random() : 1;
        for (const renaming of node.pending)
          if (how < 0.25 || (how < 0.75 && random && random() < 0.5)) rename(kept, renaming);
        for (const [name, child] of kept) {
          const copied = copy(child);
          made.durable.set(name, copied);
          made.current.set(name, copied);
        }
      }
      return made;
    };
    after.#root = copy(this.#root) as FolderNode;
    return after;
  }

  async *#read(path: string, from: number): AsyncGenerator<Buffer> {
    const bytes = this.#file(path).current.subarray(from);
    // In two chunks, so that lines are cut.
    const cut = Math.floor(bytes.length / 2);
    for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) if (piece.length > 0) yield Buffer.from(piece);
  }

  #locate(path: string): readonly [FolderNode, string] {
    const parts = path.split('/').filter((part) => part !== '');
    const name = parts.pop() ?? '';
    let folder = this.#root;
    for (const part of parts) {
      const next = folder.current.get(part);
      if (!(next instanceof FolderNode)) throw errorOf('ENOENT');
      folder = next;
    }
    return [folder, name];
  }

  #folder(path: string): FolderNode {
    if (path === '/') return this.#root;
    const [folder, name] = this.#locate(path);
    const node = folder.current.get(name);
    if (!(node instanceof FolderNode)) throw errorOf('ENOENT');
    return node;
  }

  #file(path: string): FileNode {
    const [folder, name] = this.#locate(path);
    const node = folder.current.get(name);
    if (!(node instanceof FileNode)) throw errorOf('ENOENT');
    return node;
  }

  #add(path: string, node: Node): void {
    const [folder, name] = this.#locate(path);
    if (folder.current.has(name)) throw errorOf('EEXIST');
    folder.change([[name, node]]);
  }
}

function openNode(
  node: FileNode,
  path: string,
  mode: OpenMode,
  ask: (name: Call['name'], path: string) => Fate,
): OpenFile {
  const reach = (name: Call['name']): void => {
    const fate = ask(name, path);
    if (typeof fate === 'object') throw errorOf(fate.code);
  };
  let isFull = false;
  return {
    write: async (bytes, at) => {
      if (isFull) throw errorOf('ENOSPC');
      const fate = ask('write', path);
      if (typeof fate === 'object' && fate.code === 'EIO') throw errorOf('EIO');
      isFull = typeof fate === 'object';
      // A full disk takes the bytes that fit and fails the next call.
      const taken = isFull ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes;
      if (taken.length === 0) throw errorOf('ENOSPC');
      node.change(mode === 'change' ? (at ?? 0) : node.current.length, taken);
      return taken.length;
    },
    datasync: async () => {
      const fate = ask('datasync', path);
      if (typeof fate === 'object') {
        node.fail();
        throw errorOf(fate.code);
      }
      node.sync();
    },
    truncate: async (length) => {
      reach('truncate');
      node.change(length, undefined);
    },
    state: async () => node.state,
    close: async () => {},
  };
}

/** The bytes of a file after a power failure: some changes in order, the last one maybe in part or as zeros. */
function remains({ durable, pending }: DiskFile, random: Random | undefined): Buffer {
  if (!random) return durable;
  const how = random();
  const kept = how < 0.2 ? 0 : how < 0.4 ? pending.length : Math.floor(random() * (pending.length + 1));
  const left = pending.slice(0, kept).reduce(apply, durable);
  const next = pending[kept];
  if (how < 0.4 || !next?.bytes) return left;
  if (random() < 0.3) return withHoles(left, next, random);
  const cut = Math.floor(random() * (next.bytes.length + 1));
  const torn = apply(left, { ...next, bytes: next.bytes.subarray(0, cut) });
  // Some file systems write the length before the bytes.
  return random() < 0.3 ? apply(torn, { ...next, lost: true }) : torn;
}

const SECTOR = 512;

/** A write that lacks random sectors beyond the earlier end of the file. */
function withHoles(left: Buffer, change: Change, random: Random): Buffer {
  const after = Buffer.from(apply(left, change));
  for (let at = left.length; at < after.length; ) {
    const next = Math.min(after.length, at - (at % SECTOR) + SECTOR);
    if (random() < 0.3) after.fill(0, at, next);
    at = next;
  }
  return after;
}

function apply(bytes: Buffer, { at, bytes: given, lost }: Change): Buffer {
  if (!given) return bytes.length <= at ? bytes : bytes.subarray(0, at);
  const after = Buffer.alloc(Math.max(bytes.length, at + given.length));
  bytes.copy(after);
  if (!lost) given.copy(after, at);
  return after;
}

function rename(names: Map<string, Node>, renaming: Renaming): void {
  for (const [name, node] of renaming) {
    if (node) names.set(name, node);
    else names.delete(name);
  }
}

function errorOf(code: string): Error {
  return Object.assign(new Error(code), { code });
}
