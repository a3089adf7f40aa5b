/** Copies of uploaded document files in backups and exports. */
import type { BucketSettings } from "@freehold/kit/config";
import { s3Store } from "@freehold/kit/files/s3-store";
import { copyFileSync, createWriteStream, existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";

const isNotFound = (error: unknown): boolean => (error as { code?: string }).code === "ENOENT";

/**
 * Copies the document files of one organization, or by default of all, that are missing in the target directory, each
 * atomically. Files are immutable. Copies of deleted files remain.
 */
export function copyDocumentFiles(sourceDir: string, targetDir: string, organizationId = ""): void {
  const [source, target] = [sourceDir, targetDir].map((dir) => join(dir, "documents", "files", organizationId)) as [string, string];
  if (!existsSync(source)) return;
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const targetFile = join(target, path.slice(source.length));
    if (!entry.isFile() || entry.name.endsWith(".part") || existsSync(targetFile)) continue;
    mkdirSync(dirname(targetFile), { recursive: true, mode: 0o700 });
    try {
      copyFileSync(path, `${targetFile}.part`);
    } catch (error) {
      // The file was deleted during the copy.
      if (isNotFound(error)) continue;
      throw error;
    }
    renameSync(`${targetFile}.part`, targetFile);
  }
}

/** Downloads the files of one organization from a bucket into the same directory layout as files on disk. */
export async function copyBucketFiles(bucket: BucketSettings, targetDir: string, organizationId: string): Promise<void> {
  const store = s3Store(bucket, "documents", "");
  const target = join(targetDir, "documents", "files", organizationId);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  for (const { id } of await store.list(organizationId)) {
    const bytes = await store.read(organizationId, id).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    if (!bytes) continue;
    await pipeline(bytes, createWriteStream(join(target, `${id}.part`), { mode: 0o600, flush: true }));
    renameSync(join(target, `${id}.part`), join(target, id));
  }
}
