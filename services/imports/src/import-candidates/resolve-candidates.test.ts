import { describe, expect, test } from "@jest/globals";
import { candidateStatuses } from "@freehold/contract/imports/import-bundles";
import { anOffice } from "../../../../test/support/office.ts";
import { createBundle, createReadyBundle, csvFile, listAllCandidates, waitForBundle } from "../../test/bundles.ts";
import { createFullBundle, files, findBySourceId, summarize } from "../../test/rental-portfolio.ts";

const office = await anOffice();

describe("resolveImportCandidates", () => {
  test("resolves all matching candidates and updates their dependents", async () => {
    const { id, files: importFiles } = await createFullBundle(office);
    const resolve = async (body: object) => (await office.call("resolveImportCandidates", { params: { id }, body: body as never })).updated;
    expect(await resolve({ status: ["invalid", "missing_source_data"], action: "exclude" })).toBe(4);
    expect((await office.call("getImportBundle", { params: { id } })).importBundle.counts).toMatchObject({
      excluded: 4,
      invalid: 0,
      missing_source_data: 0,
      blocked: 3,
    });
    expect(await resolve({ status: ["ready_create"], entityType: ["tenant"], search: "alex", action: "exclude" })).toBe(2);
    expect(await resolve({ status: ["excluded"], fileId: importFiles[2]!.id, action: "reset" })).toBe(2);
    expect(await resolve({ status: "excluded", action: "reset" })).toBe(4);
    expect((await office.call("getImportBundle", { params: { id } })).importBundle.counts).toMatchObject({
      ready_create: 8,
      blocked: 3,
      invalid: 3,
      missing_source_data: 1,
    });
  });

  test("reset restores merged duplicates, and the references of candidates whose edits it reverts", async () => {
    const vendors = csvFile("vendors.csv", "source_id,name", "V-1,Pipes", "V-1,Pipes & Co");
    const { id } = await createReadyBundle(office, "generic", ...Object.values(files), vendors);
    const all = await listAllCandidates(office, id);
    const edit = { action: "edit" as const, data: { source_id: "P-9", street_line1: "9 Elm Street" } };
    await office.call("resolveImportCandidate", { params: { id, candidateId: findBySourceId(all, "P-2").id }, body: edit });
    await office.call("resolveImportCandidates", { params: { id }, body: { status: [...candidateStatuses], action: "exclude" } });
    await office.call("resolveImportCandidates", { params: { id }, body: { status: ["excluded"], action: "reset" } });
    const renamed = { action: "edit" as const, data: { name: "Zebra House" } };
    await office.call("resolveImportCandidate", { params: { id, candidateId: findBySourceId(all, "P-1").id }, body: renamed });
    const resetRenamed = { status: ["ready_create" as const], search: "zebra", action: "reset" as const };
    expect(await office.call("resolveImportCandidates", { params: { id }, body: resetRenamed })).toEqual({ updated: 1 });
    expect(summarize(await listAllCandidates(office, id))).toEqual(summarize(all));
  });

  test("a reset of thousands of candidates links an edited lease to the tenant of its row again", async () => {
    const vendorLines = Array.from({ length: 2_100 }, (_, n) => `V-${n},Vendor ${n}`);
    const lease = csvFile(
      "leases.csv",
      "source_id,unit_source_id,primary_tenant_source_id,start_date,end_date,rent",
      "L-1,U-1,T-1,2026-01-01,2026-12-31,1000.00",
    );
    const { properties, units, tenants } = files;
    const { id } = await createReadyBundle(office, "generic", properties, units, tenants, lease, csvFile("vendors.csv", "source_id,name", ...vendorLines));
    const all = await listAllCandidates(office, id, { entityType: "tenant,lease" });
    const [candidateId, tenantId, otherTenantId] = ["L-1", "T-1", "T-2"].map((sourceId) => findBySourceId(all, sourceId).id) as [string, string, string];
    const readTenantIds = async () => {
      const [lease] = await listAllCandidates(office, id, { entityType: "lease" });
      return lease!.dependsOn.filter((dependency) => [tenantId, otherTenantId].includes(dependency));
    };
    const body = { action: "edit" as const, data: { primary_tenant_source_id: "T-2" } };
    await office.call("resolveImportCandidate", { params: { id, candidateId }, body });
    expect(await readTenantIds()).toEqual([otherTenantId]);
    await office.call("resolveImportCandidates", { params: { id }, body: { status: ["ready_create"], action: "reset" } });
    await waitForBundle(office, id, "ready");
    expect(await readTenantIds()).toEqual([tenantId]);
  });

  test("resolves thousands of candidates, and the bundle is ready again once they are evaluated", async () => {
    const lines = Array.from({ length: 2_500 }, (_, n) => `V-${n},Vendor ${n}`);
    const { id } = await createReadyBundle(office, "generic", csvFile("vendors.csv", "source_id,name", ...lines));
    for (const [fromStatus, action, toStatus] of [
      ["ready_create", "exclude", "excluded"],
      ["excluded", "reset", "ready_create"],
    ] as const) {
      expect(await office.call("resolveImportCandidates", { params: { id }, body: { status: [fromStatus], action } })).toEqual({ updated: 2_500 });
      expect((await waitForBundle(office, id, "ready")).counts).toMatchObject({ [fromStatus]: 0, [toStatus]: 2_500 });
    }
  });

  test("is refused while the bundle is not ready", async () => {
    const { id } = await createBundle(office);
    const { status, body } = await office.attempt("resolveImportCandidates", { params: { id }, body: { status: ["invalid"], action: "exclude" } });
    expect([status, body.code]).toEqual([409, "bundle_not_ready"]);
  });
});
