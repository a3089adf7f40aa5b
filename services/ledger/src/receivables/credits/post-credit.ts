/** Credits of a charge in a transaction: journal entries, amounts and events. */
import { now, startOfDay, today } from "@freehold/kit/time/clock";
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { Chart } from "../../chart/categories.ts";
import type { EntryLine } from "../../journal/journal.rules.ts";
import { lockOpenDate, postEntries, reverseEntries } from "../../journal/posting.ts";
import { reopen } from "../allocations/open-amount.rules.ts";
import type { Charge } from "../charges/charge.entity.ts";
import { chargeEvents } from "../charges/charge-event.ts";
import { ChargeCredit } from "./charge-credit.entity.ts";
import { applyChargeCredit, creditDate, creditLines, reverseChargeCredit } from "./charge-credit.rules.ts";

const publishEvent = eventPublisher("ledger");

/** Credit to give. Without `creditedOn` it is dated today, or the later due date of the charge. */
export interface NewCredit {
  amountCents: number;
  reason: ChargeCredit["reason"];
  memo: string | null;
  creditedOn?: string | undefined;
  /** Id of the credit that the office gave, of which this credit is a carried part. */
  originalCreditId?: string;
  /** Security deposit that pays for the credit. */
  securityDepositId?: string;
  /** Returns the lines of the entry with a description. By default those of a credit without money. */
  linesOf?: (description: string) => EntryLine[];
}

/** Reduces a locked charge by a credit. Throws as `applyChargeCredit` and `creditDate` do. */
export async function postCredit(tx: OrgTx, timezone: string, chart: Chart, charge: Charge, credit: NewCredit): Promise<ChargeCredit> {
  const { amountCents, reason, memo, originalCreditId = null, securityDepositId = null } = credit;
  const { id, leaseId, tenantId, propertyId, unitId, categoryId, dueDate, reopenedOn = null, openBeforeReopeningCents = null } = charge;
  const amounts = applyChargeCredit(charge, amountCents);
  const usableOn = creditDate({ dueDate, reopenedOn, openBeforeReopeningCents }, amountCents, credit.creditedOn, today(timezone));
  const creditedOn = await lockOpenDate(tx, usableOn);
  const entryMemo = `Credit: ${charge.name}`;
  const entry = { id: newId(), memo: entryMemo, occurredAt: startOfDay(creditedOn, timezone), entryDate: creditedOn };
  const lines = credit.linesOf?.(entryMemo) ?? creditLines({ id, leaseId, tenantId, propertyId, unitId, categoryId }, amountCents, entryMemo, chart);
  await postEntries(tx, timezone, [{ ...entry, source: "credit", document: { type: "charge", id }, lines }]);
  const chargeCredit = tx.create(ChargeCredit, {
    id: newId(),
    chargeId: id,
    amountCents: amountCents as ChargeCredit["amountCents"],
    reason,
    memo,
    creditedOn,
    requestedOn: credit.creditedOn && credit.creditedOn < creditedOn ? credit.creditedOn : null,
    entryId: entry.id,
    originalCreditId,
    securityDepositId,
  });
  const isBeforeReopening = reopenedOn !== null && creditedOn < reopenedOn;
  const openBefore = isBeforeReopening ? { openBeforeReopeningCents: (openBeforeReopeningCents ?? 0) - amountCents } : {};
  tx.assign(charge, { ...(amounts as Partial<Charge>), ...(openBefore as Partial<Charge>) });
  await publishEvent(tx, "charge.credited", ...(await chargeEvents(tx, [charge], () => ({}))));
  return chargeCredit;
}

/**
 * Reverses a live credit of a locked charge on a day, or on the day of the credit when that is later: the charge is open again by
 * its amount. With `isCarried`, the amount is carried to the charges that are posted instead.
 */
export async function reverseCreditOfCharge(tx: OrgTx, timezone: string, charge: Charge, credit: ChargeCredit, day: string, isCarried = false): Promise<void> {
  const { amountCents, creditedOn, entryId } = credit;
  const occurredAt = day === today(timezone) ? now() : startOfDay(day, timezone);
  const reversalIds = await reverseEntries(tx, timezone, [entryId], { occurredAt, memo: `Credit reversed: ${charge.name}` });
  tx.assign(credit, { reversedAt: now(), reversalEntryId: reversalIds.get(entryId)!, carryableCents: isCarried ? amountCents : (0 as typeof amountCents) });
  const { balanceCents: cents, reopenedOn = null, openBeforeReopeningCents = null } = charge;
  const settled = [{ amountCents, settledOn: creditedOn }];
  const { since, beforeCents } = reopen({ cents, since: reopenedOn, beforeCents: openBeforeReopeningCents }, settled, await lockOpenDate(tx, day));
  const reopening = { reopenedOn: since, openBeforeReopeningCents: beforeCents };
  tx.assign(charge, { ...(reverseChargeCredit(charge, amountCents) as Partial<Charge>), ...(reopening as Partial<Charge>) });
  await publishEvent(tx, "charge.credit_reversed", ...(await chargeEvents(tx, [charge], () => ({}))));
}
