/** Credits of superseded charges: reversed before the void, and carried to the charges that are posted for the same month instead. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { Chart } from "../../chart/categories.ts";
import { lockOpenDate } from "../../journal/posting.ts";
import { Charge } from "../charges/charge.entity.ts";
import type { ChargeRow } from "../charges/charge.view.ts";
import { joinReplacingCharges } from "../recurring-charges/replacing-charges.queries.ts";
import { ChargeCredit } from "./charge-credit.entity.ts";
import { carriedCents } from "./charge-credit.rules.ts";
import { postCredit, reverseCreditOfCharge } from "./post-credit.ts";

/**
 * Reverses all credits of locked charges on the days of the credits, as if they had not been given, or on the first open day if that
 * period is closed. Their amounts are carried to the charges that are posted instead, at once or later; what a security deposit has paid
 * is held in the deposit again. Returns the credits.
 */
export async function releaseCredits(tx: OrgTx, timezone: string, charges: readonly Charge[]): Promise<ChargeCredit[]> {
  const credited = new Map(charges.filter(({ creditedCents }) => creditedCents > 0).map((charge) => [charge.id, charge]));
  if (credited.size === 0) return [];
  const rows = await tx.all(sql<{ id: string }>`select id from charge_credit where organization_id = ${tx.organizationId}
    and charge_id = any(${[...credited.keys()]}::uuid[]) and reversed_at is null`);
  const credits = await tx.findAllForUpdate(
    ChargeCredit,
    rows.map(({ id }) => id),
  );
  for (const credit of credits)
    await reverseCreditOfCharge(tx, timezone, credited.get(credit.chargeId)!, credit, await lockOpenDate(tx, credit.creditedOn), !credit.securityDepositId);
  return credits;
}

/**
 * Carries the credits of superseded charges to the charges that were posted for the same month and tenancy instead, oldest first and up
 * to the amounts of these charges. Each is dated the day for which it was requested, or the due date of the charge when that is later.
 */
export async function carryCredits(
  tx: OrgTx,
  timezone: string,
  chart: Chart,
  posted: readonly Pick<ChargeRow, "id" | "recurringChargeRuleId">[],
): Promise<void> {
  const ids = posted.flatMap(({ id, recurringChargeRuleId }) => (recurringChargeRuleId ? [id] : []));
  if (ids.length === 0) return;
  const pairs = await tx.all(sql<{ chargeId: string; creditId: string }>`select c.id as charge_id, k.id as credit_id from charge_credit k
      join charge s on s.organization_id = k.organization_id and s.id = k.charge_id and s.is_superseded ${joinReplacingCharges(tx, ids)}
    where k.organization_id = ${tx.organizationId} and k.carryable_cents > 0 order by c.period_start, c.id, k.created_at, k.id`);
  if (pairs.length === 0) return;
  const lockedCredits = await tx.findAllForUpdate(ChargeCredit, [...new Set(pairs.map(({ creditId }) => creditId))]);
  const lockedCharges = await tx.findAllForUpdate(Charge, [...new Set(pairs.map(({ chargeId }) => chargeId))]);
  const [credits, charges] = [new Map(lockedCredits.map((each) => [each.id, each])), new Map(lockedCharges.map((each) => [each.id, each]))];
  for (const [chargeId, pairsOfCharge] of Map.groupBy(pairs, (pair) => pair.chargeId)) {
    const charge = charges.get(chargeId)!;
    const carried = pairsOfCharge.map(({ creditId }) => credits.get(creditId)!);
    await applyCarriedCredits(tx, timezone, chart, charge, carried);
  }
  await tx.flush();
}

/** Credits a locked charge with the amounts of locked credits that are not carried yet, up to its balance. */
export async function applyCarriedCredits(tx: OrgTx, timezone: string, chart: Chart, charge: Charge, credits: readonly ChargeCredit[]): Promise<void> {
  const amounts = carriedCents(
    credits.map(({ carryableCents }) => carryableCents),
    charge.balanceCents,
  );
  for (const [index, credit] of credits.entries()) {
    const amountCents = amounts[index]!;
    if (amountCents === 0) continue;
    const { reason, memo = null } = credit;
    const creditedOn = maxDate(credit.requestedOn ?? credit.creditedOn, charge.dueDate);
    const originalCreditId = originalIdOf(credit);
    await postCredit(tx, timezone, chart, charge, { amountCents, reason, memo, creditedOn, originalCreditId });
    tx.assign(credit, { carryableCents: (credit.carryableCents - amountCents) as ChargeCredit["carryableCents"] });
  }
}

const originalIdOf = ({ id, originalCreditId }: ChargeCredit): string => originalCreditId ?? id;

/** Ends the carrying of a credit that the office reversed: its remaining amount is not carried to charges that are posted later. */
export async function stopCarrying(tx: OrgTx, credit: ChargeCredit): Promise<void> {
  const originalId = originalIdOf(credit);
  const rows = await tx.all(sql<{ id: string }>`select id from charge_credit where organization_id = ${tx.organizationId}
    and carryable_cents > 0 and (id = ${originalId} or original_credit_id = ${originalId})`);
  const parts = await tx.findAllForUpdate(
    ChargeCredit,
    rows.map(({ id }) => id),
  );
  for (const part of parts) tx.assign(part, { carryableCents: 0 as ChargeCredit["carryableCents"] });
}
