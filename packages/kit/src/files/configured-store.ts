/** The file store that a service's settings select. */
import { hasBucket } from "../config.ts";
import { diskStore, unconfiguredStore, uploadDirIn, type FileStore } from "./file-store.ts";
import { s3Store } from "./s3-store.ts";

export interface FileStoreOptions {
  /** Plural noun for the files, as the first word of an error message. */
  description: string;
  /** Name of the setting for the directory. */
  setting: string;
  /** Value of that setting. */
  dir: string | undefined;
  /** Prefix of the object keys in the bucket. */
  keyPrefix: string;
}

/** Returns the bucket's store when a bucket is set, else the disk's; without a directory, a store that refuses files. */
export function configuredStore(settings: object, { description, setting, dir, keyPrefix }: FileStoreOptions): FileStore {
  if (dir === undefined) return unconfiguredStore(description, setting);
  return hasBucket(settings) ? s3Store(settings, keyPrefix, uploadDirIn(dir)) : diskStore(dir);
}
