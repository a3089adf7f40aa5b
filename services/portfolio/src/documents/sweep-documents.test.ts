import { randomUUID } from "node:crypto";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import pg from "pg";
import { formOf } from "../../../../test/support/client.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { eventually } from "../../../../test/support/world.ts";
import { queryRows } from "../../test/database.ts";
import { aPdf, findStoredFiles, storageFolder, uploadFolder, findIncomingFiles } from "../../test/files.ts";
import { aProperty } from "../../test/fixtures.ts";
import { startPortfolioProcess } from "../../test/process.ts";

const HOUR = 3_600_000;
const age = (path: string, hours: number) => utimes(path, new Date(), new Date(Date.now() - hours * HOUR));
const upload = async (office: Office, entityId: string) =>
  (await office.call("uploadDocument", { body: { file: aPdf(), entityType: "property", entityId } })).document.id;

/** Runs the sweep and waits for its end. */
async function sweep(): Promise<void> {
  const [due] = await queryRows<{ at: Date }>(
    randomUUID(),
    "update scheduled_work set next_run_at = now() where job = 'sweepDocuments' returning next_run_at as at",
  );
  await eventually("sweep", async () => {
    const [{ at }] = (await queryRows<{ at: Date }>(randomUUID(), "select next_run_at as at from scheduled_work where job = 'sweepDocuments'")) as [
      { at: Date },
    ];
    return at.getTime() > due!.at.getTime() + HOUR / 2;
  });
}

/** Runs `work` while the organization's document rows are locked against inserts. */
async function whileLocked<T>({ organizationId }: Office, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: running().databaseUrls.portfolio.owner });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select set_config('app.organization_id', $1, true)", [organizationId]);
    await client.query("select 1 from document_usage where organization_id = $1 for update", [organizationId]);
    return await work();
  } finally {
    await client.end();
  }
}

describe("sweepDocuments", () => {
  test("removes files older than an hour without a document, and no others", async () => {
    const office = await anOffice();
    const property = await aProperty(office);
    const [live, fresh] = [await upload(office, property.id), await upload(office, property.id)];
    const [orphan, onItsWay, cut, arriving] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const folder = storageFolder(office.organizationId);
    const strange = join(folder, "README");
    for (const path of [join(folder, orphan), join(folder, onItsWay), join(uploadFolder(), cut), join(uploadFolder(), arriving), strange])
      await writeFile(path, "x");
    for (const path of [join(folder, live), join(folder, orphan), join(uploadFolder(), cut), strange]) await age(path, 1.1);
    for (const path of [join(folder, onItsWay), join(uploadFolder(), arriving)]) await age(path, 0.9);
    await sweep();
    expect((await findStoredFiles(office.organizationId)).toSorted()).toEqual([live, fresh, onItsWay, "README"].toSorted());
    expect((await findIncomingFiles()).filter((name) => name === cut || name === arriving)).toEqual([arriving]);
    expect((await office.raw("GET", `/api/documents/${live}/download`)).status).toBe(200);
  });

  test("removes files left by a failed deletion", async () => {
    const office = await anOffice();
    const property = await aProperty(office);
    const id = await upload(office, property.id);
    await office.call("deleteDocument", { params: { id } });
    const left = join(storageFolder(office.organizationId), id);
    await writeFile(left, "x");
    await age(left, 2);
    await sweep();
    expect(await findStoredFiles(office.organizationId)).toEqual([]);
  });

  test("keeps the files of organizations unknown to this database", async () => {
    const unknown = randomUUID();
    const left = join(storageFolder(unknown), randomUUID());
    await mkdir(storageFolder(unknown), { recursive: true });
    await writeFile(left, "x");
    await age(left, 2);
    await sweep();
    expect(await findStoredFiles(unknown)).toHaveLength(1);
  });
});

describe("an upload", () => {
  test("that cannot be committed leaves no document, and its file is swept", async () => {
    const office = await anOffice();
    const property = await aProperty(office);
    const live = await upload(office, property.id);
    const answer = await whileLocked(office, () => office.attempt("uploadDocument", { body: { file: aPdf(), entityType: "property", entityId: property.id } }));
    expect([answer.status, answer.body.code]).toEqual([503, "service_unavailable"]);
    expect((await office.call("listDocuments")).documents.map(({ id }) => id)).toEqual([live]);
    for (const id of await findStoredFiles(office.organizationId)) await age(join(storageFolder(office.organizationId), id), 2);
    await sweep();
    expect(await findStoredFiles(office.organizationId)).toEqual([live]);
  });

  test("killed between file and commit leaves no document, and its file is swept", async () => {
    const office = await anOffice();
    const property = await aProperty(office);
    const live = await upload(office, property.id);
    const process = await startPortfolioProcess(office);
    const orphan = await whileLocked(office, async () => {
      const sent = process.upload("/api/documents", formOf({ file: aPdf(), entityType: "property", entityId: property.id }));
      const lost = expect(sent).rejects.toThrow();
      const storedFileId = await eventually("file that waits for its row", async () =>
        (await findStoredFiles(office.organizationId)).find((id) => id !== live),
      );
      await process.kill();
      await lost;
      return storedFileId;
    });
    expect((await office.call("listDocuments")).documents.map(({ id }) => id)).toEqual([live]);
    await age(join(storageFolder(office.organizationId), orphan), 2);
    await sweep();
    expect(await findStoredFiles(office.organizationId)).toEqual([live]);
  });
});
