/** Rows and bundles that fail unexpectedly: the rest goes on, and the reason is in the answer and in the log. */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import type { Candidate } from "@freehold/contract/imports/import-bundles";
import { eventually } from "../../../../test/support/eventually.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { runBulkImport, listBulkRows } from "../../test/bulk-imports.ts";
import { createBundle, csvFile, listAllCandidates, queryImportsDatabase, uploadFiles, validateBundle, waitForBundle } from "../../test/bundles.ts";
import { withFault } from "../../test/faults.ts";
import { prepareBundle, writeBundle, type Sheets } from "../../test/writing.ts";
import { findLogLines, logLevels } from "../../../../test/support/running.ts";

const sheets = (poison: { tenant?: string; charge?: string }): Sheets => ({
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1A,1200.00", "U-2,P-1,1B,1200.00"],
  tenants: ["source_id,full_name,email", "T-1,Tess Tenant,tess@example.com", `T-2,${poison.tenant ?? "Cora Co"},cora@example.com`],
  leases: [
    "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,rent",
    "L-1,U-1,T-1,month_to_month,active,2024-03-01,1200.00",
    "L-2,U-2,T-2,month_to_month,active,2024-03-01,1200.00",
  ],
  charges: [
    "source_id,lease_source_id,date,due_date,type,label,amount",
    "C-1,L-1,2026-02-01,2026-02-01,rent,February rent,1200.00",
    `C-2,L-1,2026-02-02,2026-02-02,fee,${poison.charge ?? "Late fee"},50.00`,
    "C-3,L-1,2026-02-03,2026-02-03,fee,Key fee,25.00",
  ],
});

const listFailed = async (office: Office, id: string): Promise<Candidate[]> => listAllCandidates(office, id, { status: "invalid,blocked" });
/** Returns the request id that the only error of a quarantined row names. */
const requestIdOf = ({ errors }: { errors: Candidate["errors"] }): string => {
  expect(errors).toMatchObject([{ path: "row", code: "unexpected" }]);
  return /request id ([-0-9a-f]{36})/.exec(errors[0]!.message)![1]!;
};
/** Waits for the error that a process logged with a request id. */
const waitForLoggedError = (process: string, requestId: string) =>
  eventually(`error in the log of ${process}`, () => Promise.resolve(findLogLines(process, requestId).find(({ level }) => level === logLevels.error)));

describe("a row whose writing fails unexpectedly", () => {
  test.each([
    { type: "tenant", service: "portfolio", table: "tenant", column: "full_name", blocked: ["lease L-2"], written: { tenants: 1, leases: 1, charges: 3 } },
    { type: "charge", service: "ledger", table: "charge", column: "name", blocked: [], written: { tenants: 2, leases: 2, charges: 2 } },
  ] as const)("of the type $type is set aside with its reason, and the rest is written", async ({ type, service, table, column, blocked, written }) => {
    const office = await anOffice();
    const poison = `Poison ${randomUUID()}`;
    const bundle = await prepareBundle(office, sheets({ [type]: poison }));
    await withFault(service, { table, when: `new.${column} = '${poison}'` }, async () => {
      const completed = await writeBundle(office, bundle.id);
      expect([completed.status, completed.counts.invalid, completed.counts.blocked]).toEqual(["completed_with_errors", 1, blocked.length]);
    });
    const failed = await listFailed(office, bundle.id);
    expect(failed.filter(({ status }) => status === "blocked").map(({ entityType, sourceId }) => `${entityType} ${sourceId}`)).toEqual(blocked);
    const quarantined = failed.find(({ status }) => status === "invalid")!;
    expect([quarantined.entityType, quarantined.resultEntityId]).toEqual([type, null]);
    const requestId = requestIdOf(quarantined);
    for (const process of ["imports", service]) expect(await waitForLoggedError(process, requestId)).toMatchObject({ requestId });
    const failures = await (await office.raw("GET", `/api/import-bundles/${bundle.id}/failures.csv`)).text();
    expect(failures).toContain(requestId);
    const listTotals = async () => ({
      tenants: (await office.call("listTenants")).total,
      leases: (await office.call("listLeases")).total,
      charges: (await office.call("listCharges")).charges.filter(({ dueDate }) => dueDate < "2026-03-01").length,
    });
    expect(await listTotals()).toEqual(written);
    const repeated = await prepareBundle(office, sheets({ [type]: poison }));
    expect((await writeBundle(office, repeated.id)).status).toBe("completed");
    expect(await listTotals()).toEqual({ tenants: 2, leases: 2, charges: 3 });
  });

  test("of a bulk import is an error of the row, and the rest is written", async () => {
    const office = await anOffice();
    const poison = `Poison ${randomUUID()}`;
    await withFault("portfolio", { table: "vendor", when: `new.name = '${poison}'` }, async () => {
      const bulkImport = await runBulkImport(office, "vendors", ["name", "Brightwater", poison, "Clearwater"]);
      expect(bulkImport).toMatchObject({ status: "completed_with_errors", createdCount: 2, errorRows: 1 });
      const [row] = await listBulkRows(office, bulkImport, { status: "error" });
      await waitForLoggedError("imports", requestIdOf(row!));
    });
    expect((await office.call("listVendors")).total).toBe(2);
  });
});

test("a bundle of which all rows of a chunk fail unexpectedly fails with its reason, and is written as a whole once it is validated again", async () => {
  const office = await anOffice();
  const poison = `Poison ${randomUUID()}`;
  const vendors = ["source_id,name", ...Array.from({ length: 25 }, (_, index) => `V-${index},${poison} ${index}`)];
  const { id } = await prepareBundle(office, { vendors });
  await withFault("portfolio", { table: "vendor", when: `new.name like '${poison}%'` }, async () => {
    await office.call("startImportBundle", { params: { id } });
    const { error } = await waitForBundle(office, id, "failed");
    await waitForLoggedError("imports", /request id ([-0-9a-f]{36})/.exec(error!)![1]!);
  });
  expect((await listFailed(office, id)).length).toBe(0);
  await validateBundle(office, id);
  expect((await writeBundle(office, id)).status).toBe("completed");
  expect((await office.call("listVendors")).total).toBe(25);
});

describe("a bundle whose service is unavailable", () => {
  test("waits without holding up other bundles and bulk imports, and is written once the service is back", async () => {
    const office = await anOffice();
    const poison = `Poison ${randomUUID()}`;
    const waiting = await prepareBundle(office, { vendors: ["source_id,name", `V-1,${poison}`] });
    // A lock timeout is a 503 of the service.
    await withFault("portfolio", { table: "vendor", when: `new.name = '${poison}'`, errcode: "55P03" }, async (mend) => {
      await office.call("startImportBundle", { params: { id: waiting.id } });
      const hasWaited = async () => {
        const [row] = await queryImportsDatabase<{ retry_at: Date | null }>(office.organizationId, "select retry_at from import_bundle where id = $1", [
          waiting.id,
        ]);
        return row!.retry_at ?? undefined;
      };
      await eventually("wait of the bundle", hasWaited);
      const { id } = await createBundle(office);
      await uploadFiles(office, id, csvFile("vendors.csv", "source_id,name", "V-2,Clearwater"));
      await validateBundle(office, id);
      expect((await writeBundle(office, id)).status).toBe("completed");
      expect((await runBulkImport(office, "vendors", ["name", "Brightwater"])).status).toBe("completed");
      const { importBundle } = await office.call("getImportBundle", { params: { id: waiting.id } });
      expect(importBundle).toMatchObject({ status: "processing", progress: { rowsPerSecond: null, estimatedEndAt: null } });
      await mend();
      expect((await writeBundle(office, waiting.id)).status).toBe("completed");
    });
    expect((await office.call("listVendors")).total).toBe(3);
  });
});

describe("a candidate whose validation fails unexpectedly", () => {
  test.each([
    ["evaluation", "new.verdict is not null and new.errors = '[]'"],
    ["resolution of references", "new.links <> '{}'"],
  ])("in the %s is invalid with its reason, and the others are ready", async (_, condition) => {
    const office = await anOffice();
    const poison = `Poison-${randomUUID().slice(0, 8)}`;
    const units = Array.from({ length: 20 }, (_, index) => `U-${index},P-1,${index === 12 ? poison : `${index}A`},900.00`);
    const files = { properties: sheets({})["properties"]!, units: ["source_id,property_source_id,unit_number,monthly_rent", ...units] };
    await withFault("imports", { table: "import_candidate", event: "update", when: `new.data ->> 'unit_number' = '${poison}' and ${condition}` }, async () => {
      const bundle = await prepareBundle(office, files);
      expect([bundle.counts.ready_create, bundle.counts.invalid]).toEqual([20, 1]);
      const [candidate] = await listFailed(office, bundle.id);
      expect(candidate).toMatchObject({ sourceId: "U-12" });
      await waitForLoggedError("imports", requestIdOf(candidate!));
    });
  });

  test("fails its bundle when it fails as a whole, without delaying others, and the bundle can be validated again", async () => {
    const office = await anOffice();
    const source = `V-${randomUUID()}`;
    const { id } = await createBundle(office);
    await uploadFiles(office, id, csvFile("vendors.csv", "source_id,name", `${source},Brightwater`));
    await withFault("imports", { table: "import_candidate", when: `new.source_id = '${source}'` }, async () => {
      await office.call("validateImportBundle", { params: { id } });
      expect((await prepareBundle(office, { vendors: ["source_id,name", "V-1,Clearwater"] })).counts.ready_create).toBe(1);
      const { error } = await waitForBundle(office, id, "failed");
      const requestId = /request id ([-0-9a-f]{36})/.exec(error!)![1]!;
      await waitForLoggedError("imports", requestId);
    });
    expect((await validateBundle(office, id)).counts.ready_create).toBe(1);
  });
});
