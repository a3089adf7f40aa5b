/** Money of each owner in several bank accounts, which moves only with the owner's own money. */
import { describe, expect, test } from "@jest/globals";
import { aCharge, aPayment, type Tenancy } from "../../../../../test/support/tenancy.ts";
import type { Office } from "../../../../../test/support/office.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { aBankAccount, subLedgersOf } from "../../trust/trust.fixtures.ts";
import { aLetter } from "../../trust/security-deposits/security-deposits.fixtures.ts";
import { aPayingOffice, contribute, ownMoneyIn } from "../owners.fixtures.ts";

/** Property of Ann (60 %) and Ben (40 %) with 1,000.00 of rent in an operating account, and 500.00 of Ben in another account. */
async function aPropertyWithTwoAccounts() {
  const { ann, ben, office, propertyId, bankAccountId, unitId, tenantId, leaseId } = await aPayingOffice({ annBps: 6_000 });
  const other = await aBankAccount(office, "security_deposit");
  expect((await contribute(office, ben, propertyId, other, 50_000)).status).toBe(200);
  const moneyIn = async () => [await ownMoneyIn(office, bankAccountId), await ownMoneyIn(office, other)];
  return { office, ann, ben, tenancy: { propertyId, unitId, tenantId, leaseId }, operating: bankAccountId, other, moneyIn };
}

/** Receives a deposit or prepaid rent of a tenant and deposits it on January 6. */
async function receive(office: Office, tenancy: Tenancy, bankAccountId: string, kind: "deposit" | "prepaid", amountCents: number): Promise<void> {
  const { leaseId } = tenancy;
  const body = { leaseId, amountCents, dueDate: "2026-01-01", chargeType: "deposit" as const };
  const allocations = kind === "deposit" ? [{ chargeId: (await office.call("createCharge", { body })).charge.id, amountCents }] : [];
  const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, amountCents), allocations } });
  await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-01-06", paymentIds: [payment.id] } });
}

const onlyDeposit = async (office: Office) => (await office.call("listSecurityDeposits", {})).securityDeposits[0]!;

describe("the owners' money in bank accounts", () => {
  test.each(["deposit", "prepaid"] as const)("is not moved by a transfer of kind %s", async (kind) => {
    const { office, ann, ben, tenancy, operating, other, moneyIn } = await aPropertyWithTwoAccounts();
    await receive(office, tenancy, operating, kind, 80_000);
    const before = await moneyIn();
    const allocations = [{ kind, leaseId: tenancy.leaseId, amountCents: 80_000 }];
    const places = { fromBankAccountId: operating, toBankAccountId: other };
    await office.call("createTransfer", { body: { ...places, amountCents: 80_000, occurredAt: "2026-01-10T17:00:00.000Z", allocations } });
    expect(before).toEqual([{ [ann]: 60_000, [ben]: 40_000 }, { [ben]: 50_000 }]);
    expect(await moneyIn()).toEqual(before);
    expect((await subLedgersOf(office, other)).rows).toEqual([
      ["owner", tenancy.propertyId, null, 50_000],
      [kind, tenancy.propertyId, tenancy.tenantId, 80_000],
    ]);
  });

  test("is moved by a transfer without an owner in the parts in which it leaves, before and after other money arrives", async () => {
    const { office, ann, ben, tenancy, operating, other, moneyIn } = await aPropertyWithTwoAccounts();
    const reserve = await aBankAccount(office, "reserve");
    const transfer = (amountCents: number, from: string, to: string) => {
      const allocations = [{ propertyId: tenancy.propertyId, amountCents }];
      const body = { fromBankAccountId: from, toBankAccountId: to, amountCents, occurredAt: "2026-01-10T17:00:00.000Z", allocations };
      return office.call("createTransfer", { body });
    };
    await transfer(20_000, other, reserve);
    expect([...(await moneyIn()), await ownMoneyIn(office, reserve)]).toEqual([{ [ann]: 60_000, [ben]: 40_000 }, { [ben]: 30_000 }, { [ben]: 20_000 }]);
    await transfer(10_000, operating, reserve);
    expect([...(await moneyIn()), await ownMoneyIn(office, reserve)]).toEqual([
      { [ann]: 54_000, [ben]: 36_000 },
      { [ben]: 30_000 },
      { [ann]: 6_000, [ben]: 24_000 },
    ]);
    await contribute(office, ann, tenancy.propertyId, operating, 90_000, { receivedAt: "2026-01-20T17:00:00.000Z" });
    expect(await ownMoneyIn(office, reserve)).toEqual({ [ann]: 6_000, [ben]: 24_000 });
  });

  test("is that of before in other accounts when a deposit pays a charge or a deduction", async () => {
    const { office, ann, ben, tenancy, operating, moneyIn } = await aPropertyWithTwoAccounts();
    await receive(office, tenancy, operating, "deposit", 50_000);
    const { id } = await onlyDeposit(office);
    const chargeId = await aCharge(office, tenancy.leaseId, 20_000, "2026-01-15");
    await office.call("applySecurityDeposit", { params: { id }, body: { allocations: [{ chargeId, amountCents: 20_000 }] } });
    expect(await moneyIn()).toEqual([{ [ann]: 72_000, [ben]: 48_000 }, { [ben]: 50_000 }]);
    await office.call("updateSecurityDeposit", { params: { id }, body: { moveOutDate: "2026-02-20" } });
    await office.call("createSecurityDepositDeduction", { params: { id }, body: { category: "cleaning", description: "Carpet", amountCents: 10_000 } });
    await office.call("finalizeSecurityDeposit", { params: { id }, body: aLetter });
    expect(await moneyIn()).toEqual([{ [ann]: 78_000, [ben]: 52_000 }, { [ben]: 50_000 }]);
  });

  test("changes by an entry without money in proportion to the accounts of the owner who loses it", async () => {
    const { office, ann, ben, tenancy, operating, other, moneyIn } = await aPropertyWithTwoAccounts();
    await contribute(office, ann, tenancy.propertyId, other, 30_000);
    const accounts = await accountIdsByCode(office);
    const { propertyId } = tenancy;
    const lines = [
      { accountId: accounts["3200"]!, debitCents: 45_000, propertyId, ownerId: ann },
      { accountId: accounts["3100"]!, creditCents: 45_000, propertyId, ownerId: ben },
    ];
    await office.call("createJournalEntry", { body: { memo: "Between owners", occurredAt: "2026-01-20T17:00:00.000Z", status: "posted", lines } });
    expect(await moneyIn()).toEqual([
      { [ann]: 30_000, [ben]: 70_000 },
      { [ann]: 15_000, [ben]: 65_000 },
    ]);
    expect((await subLedgersOf(office, operating)).totals).toEqual([100_000, 100_000, 0]);
  });
});
