import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { s3Store } from "@freehold/kit/files/s3-store";
import { startTestBucket } from "../../test/support/s3.ts";
import { copyBucketFiles } from "./document-files.ts";

test("an export contains the bucket's files of one organization and no others", async () => {
  const [dir, bucket] = [mkdtempSync(join(tmpdir(), "freehold-export-")), await startTestBucket()];
  const store = s3Store(bucket.settings, "documents", dir);
  const organizationId = randomUUID();
  const files = new Map(Array.from({ length: 4 }, () => [randomUUID() as string, randomBytes(100_000)]));
  for (const [id, bytes] of [...files, [randomUUID(), randomBytes(10)] as const]) {
    writeFileSync(join(dir, id), bytes);
    await store.put(files.has(id) ? organizationId : randomUUID(), id, join(dir, id));
  }
  await copyBucketFiles(bucket.settings, dir, organizationId);
  const exportedDir = join(dir, "documents/files", organizationId);
  expect(readdirSync(join(dir, "documents/files"))).toEqual([organizationId]);
  expect(readdirSync(exportedDir).toSorted()).toEqual([...files.keys()].toSorted());
  for (const [id, bytes] of files) expect(readFileSync(join(exportedDir, id)).equals(bytes)).toBe(true);
  await bucket.close();
  rmSync(dir, { recursive: true });
});
