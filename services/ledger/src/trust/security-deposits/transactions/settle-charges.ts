/** Settlement of charges by a security deposit: a credit of the charge that is paid by the deposit. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { invalid, unknownReference } from "@freehold/kit/errors";
import { today } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { Chart } from "../../../chart/categories.ts";
import { ACCOUNTS_RECEIVABLE } from "../../../chart/chart.ts";
import { credit } from "../../../journal/journal.rules.ts";
import { Charge } from "../../../receivables/charges/charge.entity.ts";
import { ChargeCredit } from "../../../receivables/credits/charge-credit.entity.ts";
import { postCredit, reverseCreditOfCharge } from "../../../receivables/credits/post-credit.ts";
import type { SecurityDeposit } from "../security-deposit.entity.ts";
import { depositDimensions, takenFromDeposit } from "../security-deposit.rules.ts";

/** Part of a deposit that settles a charge. */
export interface ChargeSettlement {
  chargeId: string;
  amountCents: number;
}

/**
 * Locks the charges of settlements, in the order of their ids, and returns them by id. Throws a 400 at the path of a charge that is
 * unknown, of another tenancy or property, a deposit, or open by less than the amount.
 */
export async function lockSettledCharges(
  tx: OrgTx,
  deposit: SecurityDeposit,
  settlements: readonly ChargeSettlement[],
  pathOf: (index: number, member: "chargeId" | "amountCents") => string,
): Promise<Map<string, Charge>> {
  const charges = await tx.findAllForUpdate(
    Charge,
    settlements.map(({ chargeId }) => chargeId),
  );
  const leases = await tx.all(
    sql<{ id: string }>`select id from lease_copy where organization_id = ${tx.organizationId} and tenancy_id = ${deposit.tenancyId}`,
  );
  const ofTenancy = new Set(leases.map(({ id }) => id));
  const byId = new Map(charges.map((charge) => [charge.id, charge]));
  for (const [index, { chargeId, amountCents }] of settlements.entries()) {
    const [path, charge] = [pathOf(index, "chargeId"), byId.get(chargeId)];
    if (!charge) throw unknownReference(path, "charge");
    if (!ofTenancy.has(charge.leaseId) || charge.propertyId !== deposit.propertyId || charge.chargeType === "deposit")
      throw invalid([
        { path, code: "mismatch", message: "A deposit settles charges of its own tenancy and property, apart from deposits. Name another charge." },
      ]);
    if (amountCents > charge.balanceCents)
      throw invalid([
        { path: pathOf(index, "amountCents"), code: "sum_exceeded", message: `Only ${charge.balanceCents} cents of the charge are open. Lower the amount.` },
      ]);
  }
  return byId;
}

/** Settles a part of a locked charge from the deposit on a day, or on the later due date of the charge. Returns the credit of the charge. */
export function settleCharge(
  tx: OrgTx,
  timezone: string,
  chart: Chart,
  deposit: SecurityDeposit,
  charge: Charge,
  { amountCents, date, bankAccountId, memo }: { amountCents: number; date: string; bankAccountId: string | null; memo: string },
): Promise<ChargeCredit> {
  const { id: chargeId, leaseId, tenantId, propertyId, unitId, categoryId } = charge;
  const linesOf = (description: string) => [
    takenFromDeposit(chart, { ...depositDimensions(deposit), description }, bankAccountId, amountCents),
    credit(
      chart.accountId(ACCOUNTS_RECEIVABLE),
      amountCents,
      { leaseId, tenantId, propertyId, unitId, chargeId, depositId: deposit.id, description },
      categoryId,
    ),
  ];
  const creditedOn = maxDate(date, charge.dueDate);
  return postCredit(tx, timezone, chart, charge, { amountCents, reason: "other", memo, creditedOn, securityDepositId: deposit.id, linesOf });
}

/** Reduces locked deposit charges, oldest first, by an amount that others have paid. Returns the ids of the credits. */
export async function creditDepositCharges(
  tx: OrgTx,
  timezone: string,
  chart: Chart,
  depositId: string,
  charges: readonly Charge[],
  { amountCents, date, memo }: { amountCents: number; date: string; memo: string },
): Promise<string[]> {
  const creditIds: string[] = [];
  let leftCents = amountCents;
  for (const charge of charges.toSorted((one, other) => (one.dueDate < other.dueDate ? -1 : 1))) {
    const cents = Math.min(leftCents, charge.balanceCents);
    if (cents === 0) continue;
    const { id } = await postCredit(tx, timezone, chart, charge, {
      amountCents: cents,
      reason: "other",
      memo,
      creditedOn: maxDate(date, charge.dueDate),
      securityDepositId: depositId,
    });
    creditIds.push(id);
    leftCents -= cents;
  }
  return creditIds;
}

/** Locks the deposit charges of a security deposit that are not voided, in the order of their ids. */
export async function lockDepositCharges(tx: OrgTx, depositId: string): Promise<Charge[]> {
  const rows = await tx.all(sql<{
    id: string;
  }>`select x.id from security_deposit_charge x join charge c on c.organization_id = x.organization_id and c.id = x.id
    where x.organization_id = ${tx.organizationId} and x.security_deposit_id = ${depositId} and c.status <> 'voided'`);
  return tx.findAllForUpdate(
    Charge,
    rows.map(({ id }) => id),
  );
}

/** Takes credits of a deposit back, today or on their later day: their charges are open again. Credits of superseded charges are taken back already. */
export async function reverseSettlements(tx: OrgTx, timezone: string, creditIds: readonly string[]): Promise<void> {
  const credits = (await tx.find(ChargeCredit, { id: { $in: [...creditIds] } })).filter(({ reversedAt }) => !reversedAt);
  const charges = await tx.findAllForUpdate(
    Charge,
    credits.map(({ chargeId }) => chargeId),
  );
  const byId = new Map(charges.map((charge) => [charge.id, charge]));
  for (const each of credits) await reverseCreditOfCharge(tx, timezone, byId.get(each.chargeId)!, each, today(timezone));
  await tx.flush();
}
