/** Where a service keeps its files, as its settings choose. */
import { isBucket } from "./config.ts";
import { diskStore, inboxIn, noStore, type FileStore } from "./file-store.ts";
import { s3Store } from "./s3-store.ts";

export interface FilePlace {
  /** What the files are, as a sentence begins with it. */
  what: string;
  /** The setting for the directory, and what it says. */
  setting: string;
  dir: string | undefined;
  /** What stands before the keys of these files in the bucket. */
  folder: string;
}

/** The bucket if one is set, else the disk; without a directory no files are taken. */
export function chooseStore(settings: object, { what, setting, dir, folder }: FilePlace): FileStore {
  if (dir === undefined) return noStore(what, setting);
  return isBucket(settings) ? s3Store(settings, folder, inboxIn(dir)) : diskStore(dir);
}
