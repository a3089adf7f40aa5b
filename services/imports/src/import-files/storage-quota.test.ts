import { afterAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { eventually, retryWhileUnavailable } from "../../../../test/support/eventually.ts";
import { aConfirmedOffice, anOffice, confirmAddress, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { sendBulkFile } from "../../test/bulk-imports.ts";
import { createBundle, createReadyBundle, csvFile, listStoredFiles, queryImportsDatabase, uploadFiles, waitForBundle } from "../../test/bundles.ts";

const QUOTA_BYTES = 53_687_091_200;
const UNCONFIRMED_QUOTA_BYTES = 1_073_741_824;
const refusal = {
  code: "payload_too_large",
  message: "The organization's import files would exceed its storage quota of 50 GiB. Cancel imports that are not needed, or remove their files.",
};

const admin = new pg.Client({ connectionString: running().adminUrl });
await admin.connect();
afterAll(() => admin.end());

const aFile = () => csvFile("vendors.csv", "source_id,name", "V-1,Pipes & Co");
const usedBytes = async (office: Office) => (await office.call("getImportStorage")).storage.usedBytes;
const upload = (office: Office, id: string) => office.attempt("uploadImportFiles", { params: { id }, body: { file: [aFile()] } });

/** Returns an office with a bundle of one file, and the given number of bytes left in its quota. */
async function anOfficeWithRoomFor(bytes: number) {
  const office = await aConfirmedOffice();
  const { id } = await createBundle(office);
  const [file] = await uploadFiles(office, id, aFile());
  await queryImportsDatabase(office.organizationId, "update import_file set size_bytes = $2 where organization_id = $1", [
    office.organizationId,
    QUOTA_BYTES - bytes,
  ]);
  return { office, bundleId: id, fileId: file!.id };
}

describe("the storage quota of import files", () => {
  test("and the used bytes are returned; the bytes are freed when a file is removed or its import cancelled or completed", async () => {
    const office = await aConfirmedOffice();
    expect((await office.call("getImportStorage")).storage).toEqual({ usedBytes: 0, quotaBytes: QUOTA_BYTES });
    const [removed, cancelled] = [await createBundle(office), await createBundle(office)];
    const files = [...(await uploadFiles(office, removed.id, aFile())), ...(await uploadFiles(office, cancelled.id, aFile()))];
    const completed = await createReadyBundle(office, "generic", aFile());
    expect(await usedBytes(office)).toBe(3 * files[0]!.sizeBytes);
    await office.call("deleteImportFile", { params: { id: removed.id, fileId: files[0]!.id } });
    await office.call("cancelImportBundle", { params: { id: cancelled.id } });
    expect(await usedBytes(office)).toBe(files[0]!.sizeBytes);
    await office.call("startImportBundle", { params: { id: completed.id } });
    await waitForBundle(office, completed.id, "completed");
    expect(await usedBytes(office)).toBe(0);
  });

  test("is smaller until an admin has confirmed an e-mail address", async () => {
    const office = await anOffice();
    expect((await office.call("getImportStorage")).storage.quotaBytes).toBe(UNCONFIRMED_QUOTA_BYTES);
    const { id } = await createBundle(office);
    await uploadFiles(office, id, aFile());
    const setSize = "update import_file set size_bytes = $2 where organization_id = $1";
    await queryImportsDatabase(office.organizationId, setSize, [office.organizationId, UNCONFIRMED_QUOTA_BYTES]);
    expect((await upload(office, id)).body).toEqual({
      code: "payload_too_large",
      message: `The organization's import files would exceed its storage quota of 1 GiB. Confirm the e-mail address of an admin with the mailed link for a quota of 50 GiB.`,
    });
    await confirmAddress(office.baseUrl, office.email);
    expect((await upload(office, id)).status).toBe(200);
  });

  test("refuses files of bundles and of bulk imports that exceed it, until an import is cancelled", async () => {
    const { office, bundleId, fileId } = await anOfficeWithRoomFor(10);
    const { id } = await createBundle(office);
    const sendBulk = () => sendBulkFile(office, "vendors", ["name", "Pipes & Co"]);
    for (const { status, body } of [await upload(office, id), await sendBulk()]) expect([status, body]).toEqual([400, refusal]);
    expect(await listStoredFiles(office.organizationId)).toEqual([fileId]);
    await office.call("cancelImportBundle", { params: { id: bundleId } });
    expect([(await upload(office, id)).status, (await sendBulk()).status]).toEqual([200, 200]);
  });

  test("is not exceeded by concurrent uploads, each of which would fit alone", async () => {
    const size = aFile().size;
    const { office } = await anOfficeWithRoomFor(size);
    const bundles = [await createBundle(office), await createBundle(office), await createBundle(office)];
    const lock = new pg.Client({ connectionString: running().databaseUrls.imports.owner });
    await lock.connect();
    await lock.query("select pg_advisory_lock(hashtextextended('import_file ' || $1, 0))", [office.organizationId]);
    const uploads = bundles.map(({ id }) => retryWhileUnavailable(() => upload(office, id)));
    // All three have passed the check before the upload, so only the check under the lock can refuse them.
    await eventually("three waiting uploads", async () => {
      const { rows } = await admin.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%pg_advisory_xact_lock(hashtextextended%'",
      );
      return rows.length >= 3;
    });
    expect((await usedBytes(office)) + size).toBe(QUOTA_BYTES);
    await lock.end();
    expect((await Promise.all(uploads)).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    expect(await usedBytes(office)).toBe(QUOTA_BYTES);
    expect(await listStoredFiles(office.organizationId)).toHaveLength(2);
  });
});
