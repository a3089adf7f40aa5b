import { describe, expect, test } from "@jest/globals";
import { aCharge, aTenancy } from "../../../../../../test/support/tenancy.ts";
import { meetBeforeCommit } from "../../../../test/lock-waiters.fixtures.ts";
import { aDepositOffice, aLetter, depositOf, expectNoViolations, type DepositOffice } from "../security-deposits.fixtures.ts";

type Use = (deposit: DepositOffice) => Promise<() => Promise<{ status: number }>>;

const apply: Use = async ({ office, tenancy, id }) => {
  const allocations = [{ chargeId: await aCharge(office, tenancy.leaseId, 1_000, "2026-02-01"), amountCents: 1_000 }];
  return () => office.attempt("applySecurityDeposit", { params: { id }, body: { allocations, occurredOn: "2026-02-10" } });
};
const transfer: Use = async ({ office, id }) => {
  const { leaseId: toLeaseId } = await aTenancy(office);
  return () => office.attempt("transferSecurityDeposit", { params: { id }, body: { toLeaseId, occurredOn: "2026-02-01" } });
};
const finalize: Use = async ({ office, id }) => {
  await office.call("updateSecurityDeposit", { params: { id }, body: { moveOutDate: "2026-02-20" } });
  return () => office.attempt("finalizeSecurityDeposit", { params: { id }, body: aLetter });
};

describe("while the allocation of its payment is removed, a deposit", () => {
  test.each([
    ["does not settle charges", apply],
    ["is not disposed", finalize],
    ["is not transferred to another lease", transfer],
  ])("%s: one of the two is refused, also when they meet before their commits", async (_name, prepare) => {
    const deposit = await aDepositOffice();
    const { office } = deposit;
    const use = await prepare(deposit);
    const [listed] = (await office.call("listPayments", { query: { leaseId: deposit.tenancy.leaseId } })).payments;
    const params = { id: listed!.id, allocationId: listed!.allocations[0]!.id };
    const [removed, used] = await meetBeforeCommit(() => [office.attempt("deletePaymentAllocation", { params }), use()]);
    expect([removed.status, used.status].toSorted((one, other) => one - other)).toEqual([200, 409]);
    expect((await depositOf(deposit)).heldCents).toBeGreaterThanOrEqual(0);
    await expectNoViolations(office);
  });
});
