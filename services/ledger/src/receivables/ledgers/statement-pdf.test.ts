import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { pageTexts } from "../../pdf/page-texts.fixtures.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";
import { eventually } from "../../../../../test/support/eventually.ts";

let office: Office;
let tenancy: Tenancy;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
});

const year = { from: "2026-01-01", to: "2026-12-31" };

async function downloadPages(holder: "lease" | "tenant", { leaseId, tenantId }: Tenancy, query: object = {}): Promise<string[]> {
  const path = holder === "lease" ? `/api/leases/${leaseId}/statement` : `/api/tenants/${tenantId}/statement`;
  const response = await office.raw("GET", `${path}?${new URLSearchParams({ ...year, format: "pdf", ...query }).toString()}`);
  expect(response.headers.get("content-type")).toBe("application/pdf");
  return pageTexts(Buffer.from(await response.arrayBuffer()));
}

describe("a statement as PDF", () => {
  test("shows organization, holder, period, balances, and entries with their balance and allocations", async () => {
    const charges = [await aCharge(office, tenancy.leaseId, 70_000), await aCharge(office, tenancy.leaseId, 20_000, "2026-02-01")];
    const allocations = [{ chargeId: charges[0]!, amountCents: 70_000 }];
    await office.call("recordPayment", { body: { ...aPayment(tenancy, 75_000), allocations } });
    const { statement } = await office.call("getLeaseStatement", { params: { id: tenancy.leaseId }, query: year });
    for (const holder of ["lease", "tenant"] as const) {
      const [page, ...others] = await downloadPages(holder, tenancy);
      expect(others).toEqual([]);
      for (const text of [
        "Elm Street ManagementStatementTenant:Tess Tenant",
        ...(holder === "lease" ? ["Lease:Elm Street 1, unit 1"] : []),
        `Period:01/01/2026 to 12/31/2026Ledger version:${statement.ledgerVersion}`,
        "01/01/2026Opening balance$0.00",
        "01/01/2026RentPaid $700.00 on 01/05/2026$700.00$700.00",
        "Applied $700.00 to Rent due 01/01/2026$750.00-$50.00",
        "02/01/2026Rent$200.00$150.00",
        "12/31/2026Closing balance$900.00$750.00$150.00",
        "Page 1 of 1",
      ])
        expect(page).toContain(text);
    }
  });

  test("names the day on which money was received, also when its month was closed", async () => {
    const office = await anOffice();
    const payer = await aTenancy(office);
    const chargeId = await aCharge(office, payer.leaseId, 50_000, "2026-03-01");
    await closeMonth(office, "2026-03");
    const allocations = [{ chargeId, amountCents: 50_000 }];
    await office.call("recordPayment", { body: { ...aPayment(payer, 50_000), allocations, receivedAt: "2026-03-28T17:00:00.000Z" } });
    const response = await office.raw("GET", `/api/leases/${payer.leaseId}/statement?from=2026-01-01&to=2026-12-31&format=pdf`);
    expect(pageTexts(Buffer.from(await response.arrayBuffer())).join()).toContain("Paid $500.00 on 03/28/2026");
  });

  test("of an earlier version of the ledger does not change", async () => {
    const before = await downloadPages("lease", tenancy);
    const { statement } = await office.call("getLeaseStatement", { params: { id: tenancy.leaseId }, query: year });
    await aCharge(office, tenancy.leaseId, 1_000);
    expect(await downloadPages("lease", tenancy, { ledgerVersion: statement.ledgerVersion })).toEqual(before);
    expect(await downloadPages("lease", tenancy)).not.toEqual(before);
  });

  test("of many entries has a header and a number on each page", async () => {
    const { leaseId, ...own } = await aTenancy(office);
    const charges = Array.from({ length: 120 }, (_, index) => ({ leaseId, amountCents: 100 + index, dueDate: "2026-03-01", chargeType: "rent" as const }));
    await office.call("createCharges", { body: { charges } as never });
    const pages = await downloadPages("lease", { leaseId, ...own });
    expect(pages.length).toBeGreaterThan(2);
    for (const [index, page] of pages.entries()) {
      expect(page).toContain("DateDescriptionChargesPaymentsBalance");
      expect(page).toContain(`Page ${index + 1} of ${pages.length}`);
    }
    expect(pages.join("").match(/03\/01\/2026Rent/g)).toHaveLength(120);
    expect(pages.at(-1)).toContain("Closing balance");
  });

  test("of a payment of many charges shows each allocation", async () => {
    const own = await aTenancy(office);
    const allocations = await Promise.all(
      Array.from({ length: 23 }, async (_, index) => ({ chargeId: await aCharge(office, own.leaseId, 100 + index), amountCents: 100 + index })),
    );
    await office.call("recordPayment", { body: { ...aPayment(own, 10_000), allocations } });
    const text = (await downloadPages("tenant", own)).join("");
    for (let index = 0; index < 23; index++) expect(text).toContain(`Applied $1.${String(index).padStart(2, "0")} to Rent due`);
  });

  test("shows names in any script", async () => {
    const own = await aTenancy(office);
    await office.call("updateTenant", { params: { id: own.tenantId }, body: { fullName: "王小明 محمد علي 👩‍👧 Jiří สมชาย 김철수" } });
    await eventually("name of the tenant", async () => !(await downloadPages("tenant", own))[0]!.includes("Tess Tenant"));
    const [page] = await downloadPages("lease", own);
    // Arabic is drawn from right to left.
    for (const word of ["王小明", "يلع", "دمحم", "👩", "👧", "Jiří", "สมชาย", "김철수"]) expect(page).toContain(word);
  });
});
