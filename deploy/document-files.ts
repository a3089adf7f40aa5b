/** The files of documents, beside what PostgreSQL keeps of them: in a data directory as in a backup directory. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";

/** Copies what is not there yet, of all organizations or of one; each file whole or not at all. A file never changes, and one that was deleted stays. */
export function copyDocumentFiles(from: string, to: string, organizationId = ""): void {
  const [source, target] = [from, to].map((dir) => join(dir, "documents", "files", organizationId)) as [string, string];
  if (!existsSync(source)) return;
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const copy = join(target, path.slice(source.length));
    if (!entry.isFile() || entry.name.endsWith(".part") || existsSync(copy)) continue;
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
    try {
      copyFileSync(path, `${copy}.part`);
    } catch (error) {
      // It was deleted meanwhile.
      if ((error as { code?: string }).code === "ENOENT") continue;
      throw error;
    }
    renameSync(`${copy}.part`, copy);
  }
}
