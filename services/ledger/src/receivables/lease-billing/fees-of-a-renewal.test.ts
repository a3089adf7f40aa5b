/** Fees that a renewal takes over from the lease before it. */
import { expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

test("a fee with an end date is not charged by the renewal after that date", async () => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office, { startDate: "2025-01-01", endDate: "2098-06-30" });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { leaseId, amountCents: 500, categoryId, dayOfMonth: 5, startDate: "2098-01-01", kind: "fee" as const };
  await office.call("createRecurringCharge", { body: { ...fee, label: "Until June", endDate: "2098-06-30" } });
  await office.call("createRecurringCharge", { body: { ...fee, label: "Installments", endDate: "2098-09-30" } });
  const { lease } = await office.call("renewLease", { params: { id: leaseId }, body: { startDate: "2098-07-01", endDate: "2099-12-31", termType: "fixed" } });
  const { recurringChargeRules } = await office.call("getLease", { params: { id: lease.id } });
  expect(recurringChargeRules.filter(({ label }) => label === "Until June")).toEqual([]);
  expect(recurringChargeRules.map(({ label, endDate }) => [label, endDate])).toContainEqual(["Installments", "2098-09-30"]);
});

const listFees = async (office: Office, leaseId: string) =>
  (await office.call("listRecurringCharges", { query: { leaseId, kind: "fee" } })).recurringChargeRules;

/** Returns a lease with a parking fee that was agreed without an end date. */
async function aLeaseWithFee(office: Office) {
  const { leaseId } = await aTenancy(office, { startDate: "2025-01-01", endDate: "2098-06-30" });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const body = { leaseId, amountCents: 500, categoryId, dayOfMonth: 5, startDate: "2098-01-01", kind: "fee" as const, label: "Parking" };
  const { recurringChargeRule: fee } = await office.call("createRecurringCharge", { body });
  return { leaseId, feeId: fee.id };
}
const renew = async (office: Office, id: string, startDate: string, endDate: string): Promise<string> =>
  (await office.call("renewLease", { params: { id }, body: { startDate, endDate, termType: "fixed" } })).lease.id;

test("a fee without an end date goes on with each renewal, however often the lease is renewed", async () => {
  const office = await anOffice();
  const { tenantId, unitId, propertyId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const terms = { tenantId, unitId, propertyId, startDate: "2025-01-01", rentCents: 100_000, termType: "month_to_month" as const, activate: true };
  let { id } = (await office.call("createLease", { body: terms })).lease;
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { amountCents: 500, categoryId, dayOfMonth: 5, startDate: "2025-01-01", kind: "fee" as const, label: "Parking" };
  await office.call("createRecurringCharge", { body: { leaseId: id, ...fee } });
  for (const [startDate, endDate] of [
    ["2026-01-01", "2098-12-31"],
    ["2099-01-01", "2099-12-31"],
  ] as const) {
    id = await renew(office, id, startDate, endDate);
    await office.call("activateLease", { params: { id }, body: {} });
    expect(await listFees(office, id)).toMatchObject([{ label: "Parking", endDate: null, status: "active" }]);
  }
});

test("a paused fee is paused on the renewal, and is resumed once the renewal is activated", async () => {
  const office = await anOffice();
  const { leaseId, feeId } = await aLeaseWithFee(office);
  await office.call("pauseRecurringCharge", { params: { id: feeId } });
  const renewalId = await renew(office, leaseId, "2098-07-01", "2099-12-31");
  const [fee] = await listFees(office, renewalId);
  expect(fee).toMatchObject({ status: "paused", startDate: "2098-07-01", amountCents: 500 });
  const resume = () => office.attempt("resumeRecurringCharge", { params: { id: fee!.id }, body: {} });
  expect(await resume()).toMatchObject({ status: 409, body: { code: "lease_not_active" } });
  await office.call("activateLease", { params: { id: renewalId }, body: {} });
  expect(await listFees(office, renewalId)).toMatchObject([{ status: "paused" }]);
  expect(await resume()).toMatchObject({ status: 200, body: { recurringChargeRule: { status: "active" } } });
});

// A fee of 50 is due on the 20th. The office voided that of October, and the tenant renews from October 5.
test("a fee whose charge of a month the office voided is not charged again by a renewal that starts in that month", async () => {
  const office = await anOffice();
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId, unitId, tenantId: tenant.id, startDate: "2025-09-01", rentCents: 100_000, createRecurringRent: false };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { amountCents: 5_000, categoryId, dayOfMonth: 20, startDate: "2025-09-01", kind: "fee" as const, label: "Parking", postMissed: true };
  await office.call("createRecurringCharge", { body: { leaseId: lease.id, ...fee } });
  const postAndReadOctober = async () => {
    await office.call("postDueCharges", { body: { throughDate: "2025-10-31" } });
    const { charges } = await office.call("listCharges", { query: { tenantId: tenant.id, dueAfter: "2025-10-01", dueBefore: "2025-10-31" } });
    return charges;
  };
  const [october] = await postAndReadOctober();
  await office.call("voidCharge", { params: { id: october!.id }, body: { reason: "No parking in October." } });
  const body = { startDate: "2025-10-05", endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  expect((await postAndReadOctober()).filter(({ status }) => status !== "voided").map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual([]);
});
