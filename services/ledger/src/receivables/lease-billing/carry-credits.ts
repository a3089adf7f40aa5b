/** Credits of superseded charges: taken back before the void, and given on the charges that are posted instead. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { Chart } from "../../chart/categories.ts";
import { openDate } from "../../journal/posting.ts";
import { Charge } from "../charges/charge.entity.ts";
import { ChargeCredit } from "../credits/charge-credit.entity.ts";
import { postCredit, takeCreditBack } from "../credits/post-credit.ts";
import { carriedCents } from "./rebilling.rules.ts";

/**
 * Takes all credits of locked charges back on their own days, as if they had not been given; in a closed accounting period on the
 * first open day. Returns them, oldest first.
 */
export async function releaseCredits(tx: OrgTx, timezone: string, charges: readonly Charge[]): Promise<ChargeCredit[]> {
  const credited = new Map(charges.filter(({ creditedCents }) => creditedCents > 0).map((charge) => [charge.id, charge]));
  if (credited.size === 0) return [];
  const rows = await tx.all(sql<{ id: string }>`select id from charge_credit where organization_id = ${tx.organizationId}
    and charge_id = any(${[...credited.keys()]}::uuid[]) and reversed_at is null`);
  const credits = (
    await tx.findAllForUpdate(
      ChargeCredit,
      rows.map(({ id }) => id),
    )
  ).toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1));
  for (const credit of credits) await takeCreditBack(tx, timezone, credited.get(credit.chargeId)!, credit, await openDate(tx, credit.creditedOn));
  return credits;
}

/**
 * Gives released credits on the charges that replace the credited ones, up to their amounts, on the days of the credits or on the
 * due date of the charge when that is later. A credit of a charge without a replacement is gone with it.
 */
export async function carryCredits(
  tx: OrgTx,
  { timezone, chart }: { timezone: string; chart: Chart },
  released: readonly ChargeCredit[],
  replacementIds: ReadonlyMap<string, string>,
): Promise<void> {
  const byReplacement = Map.groupBy(released, ({ chargeId }) => replacementIds.get(chargeId));
  for (const [replacementId, credits] of byReplacement) {
    if (replacementId === undefined) continue;
    const charge = await tx.getForUpdate(Charge, replacementId, "Charge");
    const amounts = carriedCents(
      credits.map(({ amountCents }) => amountCents),
      charge.amountCents,
    );
    for (const [index, { reason, memo = null, creditedOn }] of credits.entries()) {
      const amountCents = amounts[index]!;
      if (amountCents > 0) await postCredit(tx, timezone, chart, charge, { amountCents, reason, memo, creditedOn: maxDate(creditedOn, charge.dueDate) });
    }
    await tx.flush();
  }
}
