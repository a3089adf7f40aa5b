/** Where the bytes of files are kept. What is kept is whole; a file is read and removed under an id of ours. */
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Range } from "./download.ts";
import { ApiError, unavailable } from "./errors.ts";

export interface StoredFile {
  id: string;
  /** When its bytes were received. */
  since: Date;
}

/** The disk, or whatever else keeps files by organization and id. */
export interface FileStore {
  /** Takes a file over from a path on this machine: after it the file is there whole and stays, whatever fails. */
  keep(organizationId: string, id: string, path: string): Promise<void>;
  /** Its bytes, as they are asked for; rejects with `ENOENT` when there is no such file. */
  read(organizationId: string, id: string, range?: Range): Promise<Readable>;
  /** Removes a file if it is there. */
  remove(organizationId: string, id: string): Promise<void>;
  organizations(): Promise<string[]>;
  list(organizationId: string): Promise<StoredFile[]>;
  /** Removes what was received until then and never kept. */
  forgetReceived(until: Date): Promise<void>;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Whether a name is an id of ours; what is called otherwise was put there by somebody else. */
export const isStored = (name: string): boolean => UUID.test(name);

/** Where files wait that are being received: beside the others, so that keeping one is renaming it. */
export const inboxIn = (dir: string): string => join(dir, "incoming");

/** Files on a disk that all replicas share: a folder for each organization, and nothing in a path that a caller named. */
export function diskStore(dir: string): FileStore {
  const folder = (organizationId: string) => join(dir, "files", organizationId);
  const file = (organizationId: string, id: string) => join(folder(organizationId), id);
  return {
    async keep(organizationId, id, path) {
      try {
        await mkdir(folder(organizationId), { recursive: true, mode: 0o700 });
        await rename(path, file(organizationId, id));
        await syncFolder(folder(organizationId));
      } catch (error) {
        throw unavailable(error);
      }
    },
    async read(organizationId, id, range) {
      const handle = await open(file(organizationId, id));
      return handle.createReadStream(range ?? {});
    },
    remove: (organizationId, id) => rm(file(organizationId, id), { force: true }),
    organizations: () => namesIn(join(dir, "files")),
    list: (organizationId) => filesIn(folder(organizationId)),
    forgetReceived: (until) => forgetIn(inboxIn(dir), until),
  };
}

/** Removes from a directory what was received until then and nobody moved away. */
export async function forgetIn(inbox: string, until: Date): Promise<void> {
  for (const { id, since } of await filesIn(inbox)) if (since < until) await rm(join(inbox, id), { force: true });
}

async function filesIn(folder: string): Promise<StoredFile[]> {
  const found = await Promise.all((await namesIn(folder)).map(async (id) => ({ id, since: (await ifThere(stat(join(folder, id))))?.mtime })));
  return found.flatMap(({ id, since }) => (since ? [{ id, since }] : []));
}

const nothing = () => Promise.resolve([]);
const none = () => Promise.resolve();

/** Where no files are kept, since the setting for where is not made. */
export function noStore(what: string, setting: string): FileStore {
  const refuse = () => Promise.reject(new ApiError(503, `${what} are not kept here yet. Have ${setting} set.`, { code: "not_configured" }));
  return { keep: refuse, read: refuse, remove: none, organizations: nothing, list: nothing, forgetReceived: none };
}

/** A name is only on the disk once its folder is. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const ifThere = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: { code?: string }) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });

const namesIn = async (folder: string): Promise<string[]> => ((await ifThere(readdir(folder))) ?? []).filter(isStored);
