/** Content of received files: complete on disk before it is stored. */
import { expect, test } from "@jest/globals";
import { mkdtemp, open, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";
import { writeReceivedContent } from "./received-content.ts";

test("the content of a received file is synced to disk, for the service alone", async () => {
  const dir = await mkdtemp(join(tmpdir(), "received-"));
  const handle = await open(dir);
  await handle.close();
  const sync = mock.method(Object.getPrototypeOf(handle) as typeof handle, "sync");
  try {
    const content = Buffer.from("Three rooms.\n");
    const file = await writeReceivedContent(join(dir, "incoming"), "plan.txt", content);
    expect(sync.mock.callCount()).toBe(1);
    expect(await readFile(file.path)).toEqual(content);
    expect([file.name, file.size, (await stat(file.path)).mode & 0o777]).toEqual(["plan.txt", content.length, 0o600]);
  } finally {
    sync.mock.restore();
    await rm(dir, { recursive: true });
  }
});
