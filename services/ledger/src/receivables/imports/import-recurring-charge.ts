/** Import of a recurring charge of a lease: a fee, or one of several that are its rent. */
import type { importedMoney } from "@freehold/contract/imports/imported-money";
import type { BodyOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { minDate } from "@freehold/kit/time/plain-date";
import type { Clients } from "../../clients.ts";
import { readLeases } from "../../projections/projections.ts";
import { updateRecurringCharge } from "../recurring-charges/change-recurring-charge.ts";
import { createRecurringCharge } from "../recurring-charges/recurring-charges.ts";

type Body = BodyOf<typeof importedMoney.operations.importRecurringCharge>;

/**
 * Creates a recurring charge of a lease, or gives its terms to the one that a renewal has taken over under the same name. A part of the rent is prorated
 * like the rent of its lease and ends with it; one that begins after the lease charges nothing.
 */
export async function importRecurringCharge(db: OrgDb, clients: Clients, { isRentPart, endDate, ...terms }: Body): Promise<{ recordId: string }> {
  const leaseEnd = isRentPart ? ((await readLeases(db, clients.portfolio, [terms.leaseId]))[0]?.billedUntil ?? null) : null;
  const isWithinLease = leaseEnd === null || terms.startDate <= leaseEnd;
  const end = leaseEnd !== null && isWithinLease ? minDate(endDate ?? leaseEnd, leaseEnd) : (endDate ?? null);
  const continuedId = await findContinued(db, terms);
  if (continuedId) {
    const { amountCents, categoryId, dayOfMonth } = terms;
    const changes = omitUndefined({ amountCents, categoryId, dayOfMonth, endDate: endDate === undefined ? undefined : end });
    return { recordId: (await updateRecurringCharge(db, continuedId, changes)).recurringChargeRule.id };
  }
  const body = { ...terms, endDate: end, status: "active", frequency: "monthly", postMissed: false } as const;
  const { recurringChargeRule } = await createRecurringCharge(db, clients, body, isRentPart && isWithinLease ? { leaseEnd } : undefined);
  return { recordId: recurringChargeRule.id };
}

/** Returns the recurring charge that a renewal has taken over from the lease before it under a name: one with these terms, or else one with the former amount. */
async function findContinued(db: OrgDb, { leaseId, kind, label, amountCents, dayOfMonth }: Omit<Body, "isRentPart" | "endDate">): Promise<string | undefined> {
  const isSame = sql`(own.amount_cents, own.day_of_month) = (${amountCents}::bigint, ${dayOfMonth}::smallint)`;
  const rule = await db.first(sql<{ id: string }>`select own.id from recurring_charge_rule own
      join recurring_charge_rule former on former.organization_id = own.organization_id and former.id = own.continues_rule_id
    where own.organization_id = ${db.organizationId} and own.lease_id = ${leaseId} and own.kind = ${kind} and lower(own.label) = lower(${label})
      and own.status <> 'ended' and own.deleted_at is null and (${isSame} or own.amount_cents = former.amount_cents)
    order by ${isSame} desc, own.id limit 1`);
  return rule?.id;
}
