import { describe, expect, test } from "@jest/globals";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { startServiceProcess, UNREACHABLE_ADDRESS } from "../../../../test/support/service-process.ts";
import { createBundle, csvFile, listAllCandidates, listEvents, queryImportsDatabase, uploadFiles, validateBundle, waitForBundle } from "../../test/bundles.ts";

const office = await anOffice();

/** Creates files of units, some of them duplicate, invalid or with an unknown property. */
function unitFiles(count: number): File[] {
  const properties = Array.from({ length: 20 }, (_, n) => `P-${n},House ${n},${n} Oak Street,${n === 7 ? "" : "Albany"},NY,12207`);
  const lines = Array.from({ length: count }, (_, n) => `U-${n % 50 === 3 ? n - 1 : n},P-${n % 21},${n},${n % 97 === 0 ? "a lot" : "1000.00"}`);
  return [
    csvFile("units.csv", "source_id,property_source_id,unit_number,monthly_rent", ...lines),
    csvFile("properties.csv", "source_id,name,street_line1,city,state,postal_code", ...properties),
  ];
}

/** Returns the candidates of a bundle without ids and times. */
const summarizeCandidates = async (id: string) =>
  (await listAllCandidates(office, id)).map(({ fileName, rowNumber, entityType, sourceId, status, displayName, data, errors, dependsOn, mergedIntoId }) => [
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
  test("that is killed repeatedly and run by several replicas has the same result as an undisturbed one", async () => {
    const [undisturbed, disturbed] = [await createBundle(office), await createBundle(office)];
    for (const { id } of [undisturbed, disturbed]) await uploadFiles(office, id, ...unitFiles(3_000));
    const { counts } = await validateBundle(office, undisturbed.id);
    await office.call("validateImportBundle", { params: { id: disturbed.id } });
    // Releases the jobs of all organizations, since a killed replica may hold a job of another organization.
    const releaseJobs = () =>
      queryImportsDatabase(office.organizationId, "update scheduled_work set next_run_at = now(), claimed_until = null where job = 'validateBundles'");
    const isReady = async () => (await office.call("getImportBundle", { params: { id: disturbed.id } })).importBundle.status === "ready";
    const settings = { IMPORTS_DIR: join(running().dataDir, "imports"), LEDGER_GRPC: UNREACHABLE_ADDRESS };
    for (let kill = 0; kill < 6 && !(await isReady()); kill++) {
      const replica = await startServiceProcess("imports", settings);
      // Released jobs are claimed again while they run, so several replicas run them at once.
      for (let release = 0; release < 5; release++) {
        await releaseJobs();
        await new Promise((resolve) => setTimeout(resolve, 20 + 30 * kill));
      }
      await replica.end("SIGKILL");
    }
    await releaseJobs();
    const ready = await waitForBundle(office, disturbed.id, "ready");
    expect(ready.counts).toEqual(counts);
    expect(await summarizeCandidates(disturbed.id)).toEqual(await summarizeCandidates(undisturbed.id));
    expect((await listEvents(office, disturbed.id)).filter(({ data }) => data["status"] === "ready")).toHaveLength(1);
  });

  test("publishes its progress, at most once a second", async () => {
    const { id } = await createBundle(office);
    await uploadFiles(office, id, ...unitFiles(10_000));
    const { counts } = await validateBundle(office, id);
    expect(Object.values(counts.byEntity["unit"]!).reduce((sum, count) => sum + count, 0)).toBe(10_000);
    const progressEvents = (await listEvents(office, id)).filter(({ type }) => type === "import_bundle.progress");
    expect(progressEvents.length).toBeGreaterThan(0);
    const times = progressEvents.map(({ occurredAt }) => Date.parse(occurredAt));
    // The delay between the check of the interval and the event varies, so two events can be less than a second apart.
    expect(progressEvents.length).toBeLessThanOrEqual((times.at(-1)! - times[0]!) / 1_000 + 2);
    for (const { data } of progressEvents) expect(data["processed"]).toBeLessThanOrEqual(data["total"] as number);
  });

  test("of a missing file fails with the reason, and succeeds once the file is replaced", async () => {
    const { id } = await createBundle(office);
    const [file] = await uploadFiles(office, id, csvFile("vendors.csv", "source_id,name", "V-1,Pipes"));
    await rm(join(running().dataDir, "imports", "files", office.organizationId, file!.id));
    await office.call("validateImportBundle", { params: { id } });
    expect((await waitForBundle(office, id, "failed")).error).toContain("no longer exists");
    await office.call("deleteImportFile", { params: { id, fileId: file!.id } });
    await uploadFiles(office, id, csvFile("vendors.csv", "source_id,name", "V-1,Pipes"));
    expect((await validateBundle(office, id)).error).toBeNull();
  });
});
