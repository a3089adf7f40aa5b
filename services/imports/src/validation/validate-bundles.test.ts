import { describe, expect, test } from "@jest/globals";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { anOffice } from "../../../../test/office.ts";
import { running } from "../../../../test/running.ts";
import { aBundle, aFile, candidatesOf, eventsOf, reaching, rows, upload, validated } from "../../test/bundles.ts";
import { aProcess } from "../../test/imports-process.ts";

const office = await anOffice();

/** Units of a few properties, some of them twice, wrong, or of a property that there is not. */
function units(count: number): File[] {
  const properties = Array.from({ length: 20 }, (_, at) => `P-${at},House ${at},${at} Oak Street,${at === 7 ? "" : "Albany"},NY,12207`);
  const lines = Array.from({ length: count }, (_, at) => `U-${at % 50 === 3 ? at - 1 : at},P-${at % 21},${at},${at % 97 === 0 ? "a lot" : "1000.00"}`);
  return [
    aFile("units.csv", "source_id,property_source_id,unit_number,monthly_rent", ...lines),
    aFile("properties.csv", "source_id,name,street_line1,city,state,postal_code", ...properties),
  ];
}

/** What came of a bundle, but for ids and times. */
const outcome = async (id: string) =>
  (await candidatesOf(office, id)).map(({ fileName, rowNumber, entityType, sourceId, status, displayName, data, errors, dependsOn, mergedIntoId }) => [
    fileName,
    rowNumber,
    entityType,
    sourceId,
    status,
    displayName,
    data,
    errors,
    dependsOn.length,
    mergedIntoId !== null,
  ]);

describe("a validation", () => {
  test("that is killed at any row, and done by several at once, ends as one that nobody disturbed", async () => {
    const [calm, disturbed] = [await aBundle(office), await aBundle(office)];
    for (const { id } of [calm, disturbed]) await upload(office, id, ...units(3_000));
    const undisturbed = await validated(office, calm.id, 60_000);
    await office.call("validateImportBundle", { params: { id: disturbed.id } });
    // Of all organizations, since whoever is killed may hold the work of another one too.
    const nudge = () => rows(office.organizationId, "update scheduled_work set next_run_at = now(), claimed_until = null where job = 'validateBundles'");
    const isReady = async () => (await office.call("getImportBundle", { params: { id: disturbed.id } })).importBundle.status === "ready";
    for (let kill = 0; kill < 6 && !(await isReady()); kill++) {
      const process = await aProcess();
      // Whoever holds the work is told that its lease is over: from now on several do it.
      for (let time = 0; time < 5; time++) {
        await nudge();
        await new Promise((resolve) => setTimeout(resolve, 20 + 30 * kill));
      }
      await process.kill();
    }
    await nudge();
    const ready = await reaching(office, disturbed.id, "ready", 60_000);
    expect(ready.counts).toEqual(undisturbed.counts);
    expect(await outcome(disturbed.id)).toEqual(await outcome(calm.id));
    expect((await eventsOf(office, disturbed.id)).filter(({ data }) => data["status"] === "ready")).toHaveLength(1);
  });

  test("tells how far it has come, once a second at most", async () => {
    const { id } = await aBundle(office);
    await upload(office, id, ...units(20_000));
    const { counts } = await validated(office, id, 60_000);
    expect(Object.values(counts.byEntity["unit"]!).reduce((sum, count) => sum + count, 0)).toBe(20_000);
    const told = (await eventsOf(office, id)).filter(({ type }) => type === "import_bundle.progress");
    expect(told.length).toBeGreaterThan(0);
    const times = told.map(({ occurredAt }) => Date.parse(occurredAt));
    // Of any two the second may have been written down sooner after its second had begun.
    expect(told.length).toBeLessThanOrEqual((times.at(-1)! - times[0]!) / 1_000 + 2);
    for (const { data } of told) expect(data["processed"]).toBeLessThanOrEqual(data["total"] as number);
  });

  test("of a file that is not there any more fails, says why, and can be repeated once it is replaced", async () => {
    const { id } = await aBundle(office);
    const [file] = await upload(office, id, aFile("vendors.csv", "source_id,name", "V-1,Pipes"));
    await rm(join(running().dataDir, "imports", "files", office.organizationId, file!.id));
    await office.call("validateImportBundle", { params: { id } });
    expect((await reaching(office, id, "failed")).error).toContain("not there any more");
    await office.call("deleteImportFile", { params: { id, fileId: file!.id } });
    await upload(office, id, aFile("vendors.csv", "source_id,name", "V-1,Pipes"));
    expect((await validated(office, id)).error).toBeNull();
  });
});
