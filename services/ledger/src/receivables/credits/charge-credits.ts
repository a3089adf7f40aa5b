/** Credits of charges: give, list and reverse. */
import type { Charge as ChargeView, ChargeCredit as View, charges } from "@freehold/contract/ledger/charges";
import type { BodyOf } from "@freehold/contract/operation";
import { now, startOfDay, today } from "@freehold/kit/time/clock";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, notFound } from "@freehold/kit/errors";
import { PREPAID_RENT } from "../../chart/chart.ts";
import { getChart } from "../../chart/categories.ts";
import { openDate, postEntries, reverseEntries } from "../../journal/posting.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { Charge } from "../charges/charge.entity.ts";
import { requireAdjustable } from "../charges/charge.rules.ts";
import { getCharge } from "../charges/charges.ts";
import { reopen } from "../allocations/open-amount.rules.ts";
import { ChargeCredit } from "./charge-credit.entity.ts";
import { applyChargeCredit, creditDate, creditLines, reverseChargeCredit } from "./charge-credit.rules.ts";

type CreditResponse = { charge: ChargeView; credit: View };
type EventName = "charge.credited" | "charge.credit_reversed";
const publishEvent = eventPublisher("ledger");

/** Reduces a charge by a credit, at most by its balance. */
export async function creditCharge(db: OrgDb, id: string, body: BodyOf<typeof charges.operations.creditCharge>): Promise<CreditResponse> {
  const chart = await getChart(db);
  return transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    const charge = await tx.getForUpdate(Charge, id, "Charge");
    requireAdjustable(charge, chart.accountId(PREPAID_RENT));
    const { amountCents, reason, memo = null } = body;
    const amounts = applyChargeCredit(charge, amountCents);
    const { reopenedOn = null, openBeforeReopeningCents = null } = charge;
    const requestedOn = creditDate({ dueDate: charge.dueDate, reopenedOn, openBeforeReopeningCents }, amountCents, body.creditedOn, today(timezone));
    const creditedOn = await openDate(tx, requestedOn);
    const creditMemo = `Credit: ${charge.name}`;
    const entry = { id: newId(), memo: creditMemo, occurredAt: startOfDay(creditedOn, timezone), entryDate: creditedOn };
    const { leaseId, tenantId, propertyId, unitId, categoryId } = charge;
    const lines = creditLines({ id, leaseId, tenantId, propertyId, unitId, categoryId }, amountCents, creditMemo, chart);
    await postEntries(tx, timezone, [{ ...entry, source: "credit", document: { type: "charge", id }, lines }]);
    const chargeCredit = tx.create(ChargeCredit, { id: newId(), chargeId: id, amountCents, reason, memo, creditedOn, entryId: entry.id });
    const isBeforeReopening = reopenedOn !== null && creditedOn < reopenedOn;
    const openBefore = isBeforeReopening ? { openBeforeReopeningCents: (openBeforeReopeningCents ?? 0) - amountCents } : {};
    tx.assign(charge, { ...(amounts as Partial<Charge>), ...(openBefore as Partial<Charge>) });
    await publish(tx, "charge.credited", charge);
    return creditResponse(tx, chargeCredit);
  });
}

/** Reverses a credit: the charge is open again by its amount. */
export const reverseCredit = (db: OrgDb, id: string, creditId: string): Promise<CreditResponse> =>
  transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    const charge = await tx.getForUpdate(Charge, id, "Charge");
    const chargeCredit = await tx.findOne(ChargeCredit, { id: creditId, chargeId: id });
    if (!chargeCredit) throw notFound("Credit");
    if (chargeCredit.reversedAt) throw conflict("The credit has already been reversed.", "already_reversed");
    const { amountCents, creditedOn, entryId } = chargeCredit;
    const reversedAt = now();
    const reversalIds = await reverseEntries(tx, timezone, [entryId], { occurredAt: reversedAt, memo: `Credit reversed: ${charge.name}` });
    tx.assign(chargeCredit, { reversedAt, reversalEntryId: reversalIds.get(entryId)! });
    const { balanceCents: cents, reopenedOn = null, openBeforeReopeningCents = null } = charge;
    const settled = [{ amountCents, settledOn: creditedOn }];
    const { since, beforeCents } = reopen({ cents, since: reopenedOn, beforeCents: openBeforeReopeningCents }, settled, await openDate(tx, today(timezone)));
    const reopening = { reopenedOn: since, openBeforeReopeningCents: beforeCents };
    tx.assign(charge, { ...(reverseChargeCredit(charge, amountCents) as Partial<Charge>), ...(reopening as Partial<Charge>) });
    await publish(tx, "charge.credit_reversed", charge);
    return creditResponse(tx, chargeCredit);
  });

const publish = (tx: OrgTx, event: EventName, { id, leaseId, tenantId, propertyId, unitId }: Charge): Promise<void> =>
  publishEvent(tx, event, { entityId: id, data: { leaseId, tenantId, propertyId, unitId }, audience: { tenantIds: [tenantId] } });

async function creditResponse(tx: OrgTx, { id, chargeId }: ChargeCredit): Promise<CreditResponse> {
  const [credit] = await findCredits(tx, sql`id = ${id}`);
  return { charge: await getCharge(tx, chargeId), credit: credit! };
}

/** Returns the credits of a charge, oldest first, reversed ones included. */
export const listChargeCredits = (db: StatementRunner, chargeId: string): Promise<View[]> => findCredits(db, sql`charge_id = ${chargeId}`);

const findCredits = (db: StatementRunner, condition: RawBuilder<unknown>): Promise<View[]> =>
  db.all(sql<View>`select id, charge_id, amount_cents, reason, memo, credited_on, created_at, reversed_at from charge_credit
    where organization_id = ${db.organizationId} and ${condition} order by created_at, id limit 1000`);
