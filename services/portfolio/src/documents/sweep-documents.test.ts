import { randomUUID } from "node:crypto";
import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import pg from "pg";
import { formOf } from "../../../../test/support/client.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { queryRows } from "../../test/database.ts";
import { aPdf, findStoredFiles, storageFolder, uploadFolder, findIncomingFiles } from "../../test/files.ts";
import { aProperty } from "../../test/fixtures.ts";
import { startPortfolioProcess } from "../../test/process.ts";

const HOUR_MS = 3_600_000;
const setAge = (path: string, hours: number) => utimes(path, new Date(), new Date(Date.now() - hours * HOUR_MS));
const upload = async (office: Office, entityId: string) =>
  (await office.call("uploadDocument", { body: { file: aPdf(), entityType: "property", entityId } })).document.id;

/** Makes the sweep due and waits until it has run. */
async function sweep(): Promise<void> {
  const [madeDue] = await queryRows<{ at: Date }>(
    randomUUID(),
    "update scheduled_work set next_run_at = now() where job = 'sweepDocuments' returning next_run_at as at",
  );
  await eventually("sweep", async () => {
    const [{ at }] = (await queryRows<{ at: Date }>(randomUUID(), "select next_run_at as at from scheduled_work where job = 'sweepDocuments'")) as [
      { at: Date },
    ];
    return at.getTime() > madeDue!.at.getTime() + HOUR_MS / 2;
  });
}

/** Runs `work` while the storage usage of the organization is locked, so that no upload to it can be committed. */
async function whileUsageIsLocked<T>({ organizationId }: Office, work: () => Promise<T>): Promise<T> {
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
  test("removes stored files without a document and incoming files that are older than an hour, and no others", async () => {
    const office = await anOffice();
    const property = await aProperty(office);
    const [oldDocumentId, newDocumentId] = [await upload(office, property.id), await upload(office, property.id)];
    const [oldOrphan, newOrphan, oldUpload, newUpload] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const folder = storageFolder(office.organizationId);
    const content = randomUUID();
    const otherFile = join(folder, "README");
    for (const path of [join(folder, oldOrphan), join(folder, newOrphan), join(uploadFolder(), oldUpload), join(uploadFolder(), newUpload), otherFile])
      await writeFile(path, content);
    for (const path of [join(folder, oldDocumentId), join(folder, oldOrphan), join(uploadFolder(), oldUpload), otherFile]) await setAge(path, 1.1);
    for (const path of [join(folder, newOrphan), join(uploadFolder(), newUpload)]) await setAge(path, 0.9);
    await sweep();
    expect((await findStoredFiles(office.organizationId)).toSorted()).toEqual([oldDocumentId, newDocumentId, newOrphan, "README"].toSorted());
    expect(await findIncomingFiles(content)).toEqual([newUpload]);
    await rm(join(uploadFolder(), newUpload));
    expect((await office.raw("GET", `/api/documents/${oldDocumentId}/download`)).status).toBe(200);
  });

  test("removes files left by a failed deletion", async () => {
    const office = await anOffice();
    const property = await aProperty(office);
    const id = await upload(office, property.id);
    await office.call("deleteDocument", { params: { id } });
    const orphanPath = join(storageFolder(office.organizationId), id);
    await writeFile(orphanPath, "x");
    await setAge(orphanPath, 2);
    await sweep();
    expect(await findStoredFiles(office.organizationId)).toEqual([]);
  });

  test("keeps the files of organizations unknown to this database", async () => {
    const unknownOrganizationId = randomUUID();
    const orphanPath = join(storageFolder(unknownOrganizationId), randomUUID());
    await mkdir(storageFolder(unknownOrganizationId), { recursive: true });
    await writeFile(orphanPath, "x");
    await setAge(orphanPath, 2);
    await sweep();
    expect(await findStoredFiles(unknownOrganizationId)).toHaveLength(1);
  });
});

describe("an upload", () => {
  test("that cannot be committed leaves no document, and its file is swept", async () => {
    const office = await anOffice();
    const property = await aProperty(office);
    const documentId = await upload(office, property.id);
    const response = await whileUsageIsLocked(office, () =>
      office.attempt("uploadDocument", { body: { file: aPdf(), entityType: "property", entityId: property.id } }),
    );
    expect([response.status, response.body.code]).toEqual([503, "service_unavailable"]);
    expect((await office.call("listDocuments")).documents.map(({ id }) => id)).toEqual([documentId]);
    for (const id of await findStoredFiles(office.organizationId)) await setAge(join(storageFolder(office.organizationId), id), 2);
    await sweep();
    expect(await findStoredFiles(office.organizationId)).toEqual([documentId]);
  });

  test("interrupted by a kill between storing the file and the commit leaves no document, and its file is swept", async () => {
    const office = await anOffice();
    const property = await aProperty(office);
    const documentId = await upload(office, property.id);
    const portfolioProcess = await startPortfolioProcess(office);
    const orphan = await whileUsageIsLocked(office, async () => {
      const interruptedUpload = portfolioProcess.upload("/api/documents", formOf({ file: aPdf(), entityType: "property", entityId: property.id }));
      const failure = expect(interruptedUpload).rejects.toThrow();
      const storedFileId = await eventually("stored file of the upload", async () =>
        (await findStoredFiles(office.organizationId)).find((id) => id !== documentId),
      );
      await portfolioProcess.kill();
      await failure;
      return storedFileId;
    });
    expect((await office.call("listDocuments")).documents.map(({ id }) => id)).toEqual([documentId]);
    await setAge(join(storageFolder(office.organizationId), orphan), 2);
    await sweep();
    expect(await findStoredFiles(office.organizationId)).toEqual([documentId]);
  });
});
