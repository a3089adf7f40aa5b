import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { pageTexts } from "../../pdf/page-texts.fixtures.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";

let office: Office;
let tenancy: Tenancy;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
});

/** Downloads the PDF of a receipt. */
async function downloadPdf(id: string): Promise<{ headers: Headers; bytes: Buffer }> {
  const response = await office.raw("GET", `/api/payments/${id}/receipt?format=pdf`);
  return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe("getPaymentReceipt", () => {
  test("confirms the payment with its allocations and the balance of the lease", async () => {
    const chargeId = await aCharge(office, tenancy.leaseId, 1_000);
    const body = { ...aPayment(tenancy, 700), checkNumber: "1042", allocations: [{ chargeId, amountCents: 600 }] };
    const { payment } = await office.call("recordPayment", { body });
    const { receipt } = await office.call("getPaymentReceipt", { params: { id: payment.id } });
    expect(receipt).toMatchObject({
      organizationName: "Elm Street Management",
      payment,
      receivedOn: "2026-01-05",
      allocatedCents: 600,
      leaseBalanceCents: 300,
    });
    const again = await office.call("getPaymentReceipt", { params: { id: payment.id }, query: { format: "json" } });
    expect([receipt.number, receipt.number.startsWith("R-20260105-")]).toEqual([again.receipt.number, true]);
  });

  test("has no balance for a payment without a lease", async () => {
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 100), leaseId: undefined } });
    expect((await office.call("getPaymentReceipt", { params: { id: payment.id } })).receipt.leaseBalanceCents).toBeNull();
  });

  test("is a PDF with format=pdf, also for a payment with many allocations and after its reversal", async () => {
    const newTenancy = await aTenancy(office);
    const allocations = [];
    for (let month = 1; month <= 9; month++)
      for (const day of ["01", "08", "15", "22"])
        allocations.push({ chargeId: await aCharge(office, newTenancy.leaseId, 10, `2025-0${month}-${day}`), amountCents: 10 });
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(newTenancy, 500), allocations } });
    const { headers, bytes } = await downloadPdf(payment.id);
    expect([headers.get("Content-Type"), headers.get("Content-Disposition")]).toEqual(["application/pdf", expect.stringContaining("R-20260105-")]);
    expect([bytes.subarray(0, 5).toString(), bytes.includes("%%EOF")]).toEqual(["%PDF-", true]);
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } });
    expect((await downloadPdf(payment.id)).bytes.subarray(0, 5).toString()).toBe("%PDF-");
  });

  test("as a PDF shows names in any script", async () => {
    const newTenancy = await aTenancy(office);
    await office.call("updateTenant", { params: { id: newTenancy.tenantId }, body: { fullName: "王小明 محمد 🏠 Jiří" } });
    const { payment } = await office.call("recordPayment", { body: aPayment(newTenancy, 100) });
    await eventually(
      "name of the tenant",
      async () => (await office.call("getPayment", { params: { id: payment.id } })).payment.tenant.fullName !== "Tess Tenant",
    );
    const [page] = pageTexts((await downloadPdf(payment.id)).bytes);
    // Arabic is drawn from right to left.
    for (const word of ["王小明", "دمحم", "🏠", "Jiří", "$1.00"]) expect(page).toContain(word);
  });

  test("refuses an unknown format", async () => {
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100) });
    const { status, body } = await office.attempt("getPaymentReceipt", { params: { id: payment.id }, query: { format: "docx" } });
    expect([status, body.errors?.[0]?.path]).toEqual([400, "format"]);
  });
});
