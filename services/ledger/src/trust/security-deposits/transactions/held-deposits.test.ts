/** Records that cannot be deleted while a security deposit is held for them. */
import { expect, test } from "@jest/globals";
import { aDepositOffice, aLetter, aRefund, depositOf } from "../security-deposits.fixtures.ts";

test("a draft lease to which a deposit was transferred is neither cancelled nor deleted until the transfer is voided", async () => {
  const { office, tenancy, id } = await aDepositOffice();
  const address = { streetLine1: "2 Oak Street", city: "Albany", state: "NY", postalCode: "12207" };
  const { property } = await office.call("createProperty", { body: { name: "Oak 2", ...address, units: 1, occupiedUnits: 0 } });
  const { unit } = await office.call("createUnit", { body: { propertyId: property.id, unitNumber: "1", monthlyRentCents: 100_000 } });
  const terms = { startDate: "2099-01-01", endDate: "2099-12-31", termType: "fixed" as const, rentCents: 100_000, createRecurringRent: false };
  const { lease } = await office.call("createLease", { body: { propertyId: property.id, unitId: unit.id, tenantId: tenancy.tenantId, ...terms } });
  const body = { toLeaseId: lease.id, occurredOn: "2026-02-01" };
  const { securityDeposit } = await office.call("transferSecurityDeposit", { params: { id }, body });
  const cancel = () => office.attempt("cancelLease", { params: { id: lease.id } });
  expect((await cancel()).status).toBe(409);
  expect(await office.attempt("deleteLease", { params: { id: lease.id } })).toMatchObject({ status: 409, body: { code: "resource_in_use" } });
  const params = { id, transactionId: securityDeposit.transactions[0]!.id };
  await office.call("voidSecurityDepositTransaction", { params, body: { reason: "wrong lease" } });
  expect((await cancel()).status).toBe(200);
});

test("a tenant who has moved out is not deleted while the deposit is held", async () => {
  const deposit = await aDepositOffice();
  const { office, tenancy, id } = deposit;
  await office.call("terminateLease", { params: { id: tenancy.leaseId }, body: { terminationDate: "2026-02-20", finalRent: "none" } });
  const remove = () => office.attempt("deleteTenant", { params: { id: tenancy.tenantId } });
  expect(await remove()).toMatchObject({ status: 409, body: { code: "resource_in_use" } });
  await office.call("finalizeSecurityDeposit", { params: { id }, body: aLetter });
  await office.call("refundSecurityDeposit", { params: { id }, body: aRefund(150_000, deposit.escrow) });
  expect((await depositOf(deposit)).status).toBe("refunded");
  expect((await remove()).status).toBe(200);
});
