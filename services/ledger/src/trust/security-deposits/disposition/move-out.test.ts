/** Move-outs of tenants that differ from the last day of their lease. New York gives 14 days for the disposition of a security deposit. */
import { describe, expect, test } from "@jest/globals";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { waitForIdleJobs } from "../../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../../test/support/tenancy.ts";
import { withOwnerConnection } from "../../../../test/ledger.fixtures.ts";
import { aDepositOffice, aLetter, depositOf, type DepositOffice } from "../security-deposits.fixtures.ts";

const occupantsOf = async ({ office, tenancy }: DepositOffice) => (await office.call("listOccupants", { params: { leaseId: tenancy.leaseId } })).occupants;
const primaryOf = async (deposit: DepositOffice) => (await occupantsOf(deposit)).find(({ isPrimary }) => isPrimary)!;
const recordMoveOut = async (deposit: DepositOffice, moveOutDate: string) =>
  deposit.office.call("updateOccupant", { params: { id: (await primaryOf(deposit)).id }, body: { moveOutDate } });
const terminate = ({ office, tenancy }: DepositOffice) =>
  office.call("terminateLease", { params: { id: tenancy.leaseId }, body: { terminationDate: "2026-03-31", finalRent: "none" } });
const waitForMoveOut = (deposit: DepositOffice, moveOutDate: string) =>
  eventually("move-out of the deposit", async () => {
    const found = await depositOf(deposit);
    return found.moveOutDate === moveOutDate && found;
  });

/** Waits until the ledger knows the move-out of the lease. */
const waitForLedgerCopy = ({ office, tenancy }: DepositOffice, movedOutOn: string) =>
  eventually("move-out in the ledger", () =>
    withOwnerConnection(office, async (client) => {
      const { rows } = await client.query("select 1 from lease_copy where id = $1 and moved_out_on = $2", [tenancy.leaseId, movedOutOn]);
      return rows[0];
    }),
  );

/** Lets the lease of a security deposit expire on January 31, also in the ledger. */
async function expire(deposit: DepositOffice): Promise<void> {
  const { office, tenancy } = deposit;
  await office.call("updateLease", { params: { id: tenancy.leaseId }, body: { endDate: "2026-01-31" } });
  expect(await waitForMoveOut(deposit, "2026-01-31")).toMatchObject({ dispositionDueOn: "2026-02-14", status: "disposition_due" });
}

describe("the period for the disposition starts with the recorded move-out of the tenants", () => {
  test("when a tenant who stayed after the lease expired is released", async () => {
    const deposit = await aDepositOffice();
    const { id: coTenantId } = (await deposit.office.call("createTenant", { body: { fullName: "Cora Tenant" } })).tenant;
    const { leaseId } = deposit.tenancy;
    const coTenant = await deposit.office.call("createOccupant", {
      params: { leaseId },
      body: { tenantId: coTenantId, role: "co_tenant", moveInDate: "2026-01-01" },
    });
    await expire(deposit);
    const release = (id: string, day: string) => deposit.office.call("releaseOccupant", { params: { id }, body: { releasedOn: day, moveOutDate: day } });
    await release((await primaryOf(deposit)).id, "2026-03-10");
    // The co-tenant still lives there.
    expect(await depositOf(deposit)).toMatchObject({ moveOutDate: "2026-01-31" });
    await release(coTenant.occupant.id, "2026-03-15");
    expect(await waitForMoveOut(deposit, "2026-03-15")).toMatchObject({ dispositionDueOn: "2026-03-29", status: "disposition_due" });
  });

  test("when it is recorded before the lease is terminated for a later day", async () => {
    const deposit = await aDepositOffice();
    await recordMoveOut(deposit, "2026-03-20");
    await terminate(deposit);
    expect(await waitForMoveOut(deposit, "2026-03-20")).toMatchObject({ dispositionDueOn: "2026-04-03" });
    await waitForIdleJobs("ledger", deposit.office);
    expect(await depositOf(deposit)).toMatchObject({ moveOutDate: "2026-03-20" });
  });

  test("when it is recorded after the termination", async () => {
    const deposit = await aDepositOffice();
    await terminate(deposit);
    expect(await waitForMoveOut(deposit, "2026-03-31")).toMatchObject({ dispositionDueOn: "2026-04-14" });
    await recordMoveOut(deposit, "2026-03-20");
    expect(await waitForMoveOut(deposit, "2026-03-20")).toMatchObject({ dispositionDueOn: "2026-04-03" });
  });

  test("also when it is corrected", async () => {
    const deposit = await aDepositOffice();
    await terminate(deposit);
    await recordMoveOut(deposit, "2026-03-20");
    await waitForMoveOut(deposit, "2026-03-20");
    await recordMoveOut(deposit, "2026-03-25");
    expect(await waitForMoveOut(deposit, "2026-03-25")).toMatchObject({ dispositionDueOn: "2026-04-08" });
  });

  test("in a security deposit that is created after the end of the lease", async () => {
    const office = await anOffice();
    const { leaseId } = await aTenancy(office);
    await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2026-03-31", finalRent: "none" } });
    const { securityDeposit } = await office.call("createSecurityDeposit", { body: { leaseId, requiredCents: 5_000 } });
    expect(securityDeposit).toMatchObject({ moveOutDate: "2026-03-31", dispositionDueOn: "2026-04-14" });
  });
});

describe("a security deposit that is open again has the move-out that was recorded meanwhile", () => {
  test("after its disposition was reopened", async () => {
    const deposit = await aDepositOffice();
    await terminate(deposit);
    await waitForMoveOut(deposit, "2026-03-31");
    const params = { id: deposit.id };
    await deposit.office.call("finalizeSecurityDeposit", { params, body: { ...aLetter, sentAt: "2026-04-03T17:00:00.000Z" } });
    await recordMoveOut(deposit, "2026-03-20");
    await waitForLedgerCopy(deposit, "2026-03-20");
    const { securityDeposit } = await deposit.office.call("reopenSecurityDeposit", { params, body: { reason: "Wrong day" } });
    expect(securityDeposit).toMatchObject({ moveOutDate: "2026-03-20", dispositionDueOn: "2026-04-03" });
  });

  test("after its transfer to another lease was voided", async () => {
    const deposit = await aDepositOffice();
    const { leaseId: toLeaseId } = await aTenancy(deposit.office);
    const params = { id: deposit.id };
    await deposit.office.call("transferSecurityDeposit", { params, body: { toLeaseId, occurredOn: "2026-02-10" } });
    await terminate(deposit);
    await waitForLedgerCopy(deposit, "2026-03-31");
    const { transactions } = await depositOf(deposit);
    const transfer = transactions.find(({ kind }) => kind === "transfer_out")!;
    const voided = await deposit.office.call("voidSecurityDepositTransaction", {
      params: { ...params, transactionId: transfer.id },
      body: { reason: "Stays" },
    });
    expect(voided.securityDeposit).toMatchObject({ moveOutDate: "2026-03-31", dispositionDueOn: "2026-04-14" });
  });
});

describe("a recorded move-out leaves the security deposit as it is", () => {
  test("when the office has set its move-out", async () => {
    const deposit = await aDepositOffice();
    await expire(deposit);
    await deposit.office.call("updateSecurityDeposit", { params: { id: deposit.id }, body: { moveOutDate: "2026-02-10" } });
    await recordMoveOut(deposit, "2026-03-15");
    expect(await depositOf(deposit)).toMatchObject({ moveOutDate: "2026-02-10", dispositionDueOn: "2026-02-24" });
  });

  test("when the office has set it before the lease is terminated; without that day it follows the lease again", async () => {
    const deposit = await aDepositOffice();
    const setMoveOut = (moveOutDate: string | null) => deposit.office.call("updateSecurityDeposit", { params: { id: deposit.id }, body: { moveOutDate } });
    await setMoveOut("2026-03-10");
    await terminate(deposit);
    await waitForIdleJobs("ledger", deposit.office);
    expect(await depositOf(deposit)).toMatchObject({ moveOutDate: "2026-03-10", dispositionDueOn: "2026-03-24" });
    expect((await setMoveOut(null)).securityDeposit).toMatchObject({ moveOutDate: "2026-03-31", dispositionDueOn: "2026-04-14" });
  });

  test("when its disposition was finalized", async () => {
    const deposit = await aDepositOffice();
    await terminate(deposit);
    await waitForMoveOut(deposit, "2026-03-31");
    const letter = { ...aLetter, sentAt: "2026-04-03T17:00:00.000Z" };
    await deposit.office.call("finalizeSecurityDeposit", { params: { id: deposit.id }, body: letter });
    await recordMoveOut(deposit, "2026-03-20");
    expect(await depositOf(deposit)).toMatchObject({ moveOutDate: "2026-03-31", dispositionDueOn: "2026-04-14" });
  });
});
