/** Stores for the bytes of files. A stored file is complete, and is addressed by organization and generated id. */
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Range } from "../http/download.ts";
import { notConfigured, unavailable } from "../errors.ts";

export interface StoredFile {
  id: string;
  /** Time of the upload. */
  storedAt: Date;
}

/** Stores files on disk or in a bucket. */
export interface FileStore {
  /** Moves a file from a local path into the store, durably and completely. */
  put(organizationId: string, id: string, path: string): Promise<void>;
  /** Opens the bytes of a file or a range of them. Rejects with `ENOENT` for an unknown file. */
  read(organizationId: string, id: string, range?: Range): Promise<Readable>;
  /** Removes a file; an unknown one is ignored. */
  remove(organizationId: string, id: string): Promise<void>;
  listOrganizations(): Promise<string[]>;
  list(organizationId: string): Promise<StoredFile[]>;
  /** Removes uploads received before the given time that were never stored. */
  deleteStaleUploads(until: Date): Promise<void>;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Tells whether a name is a file id; other names are not files of the store. */
export const isFileId = (name: string): boolean => UUID.test(name);

/** Returns the directory for uploads: on the file system of the store, so that storing a file is a rename. */
export const uploadDirIn = (dir: string): string => join(dir, "incoming");

/** Store on a disk shared by all replicas, with a folder per organization. No part of a path comes from a caller. */
export function diskStore(dir: string): FileStore {
  const folder = (organizationId: string) => join(dir, "files", organizationId);
  const file = (organizationId: string, id: string) => join(folder(organizationId), id);
  return {
    async put(organizationId, id, path) {
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
    listOrganizations: () => namesIn(join(dir, "files")),
    list: (organizationId) => filesIn(folder(organizationId)),
    deleteStaleUploads: (until) => deleteFilesOlderThan(uploadDirIn(dir), until),
  };
}

/** Removes the files of a directory that are older than the given time. */
export async function deleteFilesOlderThan(folder: string, until: Date): Promise<void> {
  for (const { id, storedAt } of await filesIn(folder)) if (storedAt < until) await rm(join(folder, id), { force: true });
}

async function filesIn(folder: string): Promise<StoredFile[]> {
  const found = await Promise.all((await namesIn(folder)).map(async (id) => ({ id, storedAt: (await undefinedIfMissing(stat(join(folder, id))))?.mtime })));
  return found.flatMap(({ id, storedAt }) => (storedAt ? [{ id, storedAt }] : []));
}

const nothing = () => Promise.resolve([]);
const doNothing = () => Promise.resolve();

/** Store without a setting: it refuses files with a 503 that names the setting. */
export function unconfiguredStore(description: string, setting: string): FileStore {
  const refuse = () => Promise.reject(notConfigured(`${description} are not kept here yet. Have ${setting} set.`));
  return { put: refuse, read: refuse, remove: doNothing, listOrganizations: nothing, list: nothing, deleteStaleUploads: doNothing };
}

/** Makes a rename durable, which needs a sync of the folder. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const undefinedIfMissing = <T>(result: Promise<T>): Promise<T | undefined> =>
  result.catch((error: { code?: string }) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });

const namesIn = async (folder: string): Promise<string[]> => ((await undefinedIfMissing(readdir(folder))) ?? []).filter(isFileId);
