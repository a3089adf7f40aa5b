import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { archiveCommand, prepareArchive, walArchiveDir } from "./archive.ts";

test("the archive command stores a WAL file once, and fails for another file of the same name, as of another cluster", () => {
  const backupDir = mkdtempSync(join(tmpdir(), "freehold-archive-"));
  prepareArchive(backupDir);
  const file = join(backupDir, "segment");
  const archive = (content: string) => {
    writeFileSync(file, content);
    return spawnSync("sh", ["-c", archiveCommand(backupDir).replaceAll("%p", file).replaceAll("%f", "000000010000000000000001")]).status;
  };
  expect([archive("WAL"), archive("WAL"), archive("other WAL")]).toEqual([0, 0, 1]);
  expect(readdirSync(walArchiveDir(backupDir))).toEqual(["000000010000000000000001.gz"]);
  expect(gunzipSync(readFileSync(join(walArchiveDir(backupDir), "000000010000000000000001.gz"))).toString()).toBe("WAL");
  rmSync(backupDir, { recursive: true });
});
