import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { baseBackupsDir, MANIFEST, prepareArchive, SECRET_FILES, walArchiveDir } from "./archive.ts";
import { pruneBaseBackups } from "./prune.ts";

let backupDir: string;
beforeEach(() => {
  backupDir = mkdtempSync(join(tmpdir(), "freehold-prune-"));
  prepareArchive(backupDir);
});
afterEach(() => rmSync(backupDir, { recursive: true }));

const walFile = (number: number, timeline = 1) => `0000000${timeline}00000000${number.toString(16).toUpperCase().padStart(8, "0")}`;
const archive = (...numbers: number[]) => numbers.forEach((number) => writeFileSync(join(walArchiveDir(backupDir), `${walFile(number)}.gz`), "WAL"));

/** Creates a base backup of a day in January that needs the WAL files of the day and of the day after. */
function aBaseBackup(day: number, { name = `2026-01-0${day}T00-00-00.000Z`, timeline = 1 } = {}): string {
  const dir = join(baseBackupsDir(backupDir), name);
  mkdirSync(join(dir, "postgres"), { recursive: true });
  writeFileSync(join(dir, "postgres", "PG_VERSION"), "18\n");
  for (const secretFile of SECRET_FILES) writeFileSync(join(dir, secretFile), "");
  const instant = `2026-01-0${day}T00:00:00.000Z`;
  const files = { PG_VERSION: { sha256: "", bytes: 3 } };
  const manifest = {
    startedAt: instant,
    finishedAt: instant,
    firstLogFile: walFile(day, timeline),
    lastLogFile: walFile(day + 1, timeline),
    postgresVersion: "18.4",
    files,
  };
  writeFileSync(join(dir, MANIFEST), JSON.stringify(manifest));
  return dir;
}
const listRemaining = () => readdirSync(baseBackupsDir(backupDir)).toSorted();

describe("pruning", () => {
  test("keeps the newest base backups with the WAL that they need, and says what it removes", () => {
    archive(1, 2, 3, 4, 5);
    const [first, second, third] = [aBaseBackup(1), aBaseBackup(2), aBaseBackup(3)];
    expect(pruneBaseBackups(backupDir, 2)).toEqual([
      `Removed ${first}.`,
      "WAL files removed because no base backup needs them: 1, 0.0 MB.",
      "Base backups that can be restored: 2, the oldest of 2026-01-02T00:00:00.000Z.",
    ]);
    expect(listRemaining()).toEqual([second, third].map((dir) => basename(dir)));
    expect(readdirSync(walArchiveDir(backupDir)).toSorted()).toEqual([2, 3, 4, 5].map((number) => `${walFile(number)}.gz`));
  });

  test.each<[string, (dir: string) => void, RegExp]>([
    ["lacks a file", (dir) => rmSync(join(dir, "postgres", "PG_VERSION")), /it lacks postgres\/PG_VERSION\.$/],
    ["has a truncated file", (dir) => writeFileSync(join(dir, "postgres", "PG_VERSION"), ""), /it has another size of postgres\/PG_VERSION than/],
    ["lacks the secrets", (dir) => rmSync(join(dir, "secrets.json")), /it lacks secrets\.json\.$/],
    ["has a damaged manifest", (dir) => writeFileSync(join(dir, MANIFEST), "{"), /it has no readable manifest\.json\.$/],
    ["is an empty folder", (dir) => (rmSync(dir, { recursive: true }), mkdirSync(dir)), /it has no readable manifest\.json\.$/],
    ["needs a WAL file that is not archived", () => rmSync(join(walArchiveDir(backupDir), `${walFile(4)}.gz`)), /it needs the WAL file 0+10+4, which is not/],
  ])("does not count a base backup that %s", (_, damage, sentence) => {
    archive(1, 2, 3, 4);
    const [first, second, third] = [aBaseBackup(1), aBaseBackup(2), aBaseBackup(3)];
    damage(third);
    expect(pruneBaseBackups(backupDir, 2)).toEqual([
      expect.stringMatching(sentence),
      "Base backups that can be restored: 2, the oldest of 2026-01-01T00:00:00.000Z.",
    ]);
    expect(pruneBaseBackups(backupDir, 3)).toEqual([expect.stringMatching(sentence), "Removed no base backup, since fewer than 3 can be restored: 2."]);
    expect([first, second, third].filter((dir) => !existsSync(dir))).toEqual([]);
  });

  test("keeps the WAL of a newer base backup on an earlier timeline, as after a restore that was given up", () => {
    archive(3, 4, 5);
    for (const number of [2, 3]) writeFileSync(join(walArchiveDir(backupDir), walFile(number, 2)), "WAL");
    const backups = [aBaseBackup(2, { timeline: 2 }), aBaseBackup(3)];
    pruneBaseBackups(backupDir, 2);
    expect(listRemaining()).toEqual(backups.map((dir) => basename(dir)));
    expect(readdirSync(walArchiveDir(backupDir))).toHaveLength(5);
  });

  test("does not touch folders that are no base backups", () => {
    archive(1, 2, 3, 4);
    const others = [".snapshot", "2026-01-01T00-00-00.000Z.bak"];
    for (const name of others) mkdirSync(join(baseBackupsDir(backupDir), name));
    for (const day of [1, 2, 3]) aBaseBackup(day);
    expect(pruneBaseBackups(backupDir, 1).at(-1)).toMatch(/^Base backups that can be restored: 1,/);
    expect(listRemaining()).toEqual([...others, "2026-01-03T00-00-00.000Z"]);
  });

  test("removes what a killed backup has left, and nothing of one in progress", () => {
    archive(1, 2, 3);
    const { pid } = spawnSync("true");
    const [left, inProgress] = [aBaseBackup(1, { name: `unfinished-${pid}` }), aBaseBackup(1, { name: `unfinished-${process.pid}` })];
    const completed = aBaseBackup(2);
    expect(pruneBaseBackups(backupDir, 1)[0]).toBe(`Removed ${left}.`);
    expect(listRemaining()).toEqual([completed, inProgress].map((dir) => basename(dir)));
  });
});
