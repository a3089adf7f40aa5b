/** Removal of base backups that are no longer kept, and of the WAL files that only they need. */
import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { describeDefect, listArchivedWal, listBackupFolders, listBaseBackups, UNFINISHED, walArchiveDir } from "./archive.ts";

/**
 * Keeps the given number of the newest base backups that can be restored, and deletes all that are older. While fewer can be
 * restored, deletes only what unfinished backups have left. Returns sentences about what was removed and what is kept.
 */
export function pruneBaseBackups(backupDir: string, keepCount: number): string[] {
  const sentences: string[] = [];
  const remove = (dir: string) => {
    rmSync(dir, { recursive: true });
    sentences.push(`Removed ${dir}.`);
  };
  const isUnfinished = (dir: string) => basename(dir).startsWith(UNFINISHED);
  const folders = listBackupFolders(backupDir);
  for (const dir of folders.filter(isUnfinished)) if (!isRunning(Number(basename(dir).slice(UNFINISHED.length)))) remove(dir);

  const completed = folders.filter((dir) => !isUnfinished(dir));
  const archivedWal = listArchivedWal(backupDir);
  const defects = new Map(completed.map((dir) => [dir, describeDefect(dir, archivedWal)]));
  const restorable = completed.filter((dir) => defects.get(dir) === undefined);
  const oldestKept = restorable.at(-keepCount);
  for (const [dir, defect] of defects) {
    if (oldestKept !== undefined && dir < oldestKept) remove(dir);
    else if (defect !== undefined) sentences.push(`${dir} cannot be restored and does not count: it ${defect}.`);
  }
  if (oldestKept === undefined) return [...sentences, `Removed no base backup, since fewer than ${keepCount} can be restored: ${restorable.length}.`];
  const kept = listBaseBackups(backupDir);
  const { manifest } = kept.find(({ dir }) => dir === oldestKept)!;
  // A newer base backup may be of an earlier timeline, if the operator went back to the data directory before a restore.
  const [firstNeeded] = kept.map((each) => each.manifest.firstLogFile).toSorted();
  const { count, bytes } = removeWalBefore(backupDir, firstNeeded!);
  if (count > 0) sentences.push(`WAL files removed because no base backup needs them: ${count}, ${(bytes / 1e6).toFixed(1)} MB.`);
  return [...sentences, `Base backups that can be restored: ${keepCount}, the oldest of ${manifest.finishedAt}.`];
}

function removeWalBefore(backupDir: string, firstLogFile: string): { count: number; bytes: number } {
  const dir = walArchiveDir(backupDir);
  // WAL file names sort by timeline, then by time.
  const expired = readdirSync(dir).filter((file) => /^[0-9A-F]{24}/.test(file) && file.slice(0, 24) < firstLogFile);
  const bytes = expired.reduce((sum, file) => sum + statSync(join(dir, file)).size, 0);
  for (const file of expired) rmSync(join(dir, file));
  return { count: expired.length, bytes };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user.
    return (error as { code?: string }).code === "EPERM";
  }
}
