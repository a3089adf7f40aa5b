/** Deposit charges whose sum exceeds the largest amount. */
import { expect, test } from "@jest/globals";
import { aTenancy } from "../../../../../../test/support/tenancy.ts";
import { aDepositOffice, depositOf } from "../security-deposits.fixtures.ts";

test("deposit charges of a tenancy that add up to more than the largest amount are refused, and sums that became larger stay readable", async () => {
  const { office, escrow } = await aDepositOffice();
  const tenancy = await aTenancy(office);
  const terms = { leaseId: tenancy.leaseId, amountCents: Number.MAX_SAFE_INTEGER, dueDate: "2026-02-01", chargeType: "deposit" as const };
  const { charge } = await office.call("createCharge", { body: terms });
  const isRefused = { status: 400, body: { errors: [{ path: "amountCents", code: "max" }] } };
  expect(await office.attempt("createCharge", { body: { ...terms, amountCents: 1 } })).toMatchObject(isRefused);
  const { credit } = await office.call("creditCharge", { params: { id: charge.id }, body: { amountCents: 10, reason: "other", memo: "Too much" } });
  await office.call("createCharge", { body: { ...terms, amountCents: 10 } });
  await office.call("reverseCredit", { params: { id: charge.id, creditId: credit.id } });
  const { securityDeposits } = await office.call("listSecurityDeposits", { query: { leaseId: tenancy.leaseId } });
  const id = securityDeposits[0]!.id;
  await office.call("updateSecurityDeposit", { params: { id }, body: { requiredCents: 5 } });
  expect(await depositOf({ office, tenancy, escrow, id })).toMatchObject({ status: "expected", requiredCents: 5 });
});
