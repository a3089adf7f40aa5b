/** Journal entries that move credit to the renewal that holds it. */
import { localDateOf, startOfDay } from "@freehold/kit/time/clock";
import { newId } from "@freehold/kit/db/entity";
import type { Chart } from "../../chart/categories.ts";
import { PREPAID_RENT } from "../../chart/chart.ts";
import type { NewEntry } from "../../journal/posting.ts";
import type { PayerDimensions } from "../payments/settlement.rules.ts";
import { FIRST_DAY, transferPart, transfersToHolders, type CreditHolder, type CreditMove, type TransferPart } from "./credit-holder.rules.ts";

/** Returns an entry for each payment and day of the parts. An entry belongs to its payment, whose reversal also reverses the entry. */
export const transferEntries = (parts: readonly TransferPart[], timezone: string): NewEntry[] =>
  [...Map.groupBy(parts, ({ paymentId, date }) => `${paymentId} ${date}`).values()].map((group) => ({
    id: newId(),
    memo: "Taken over by the renewal",
    occurredAt: startOfDay(group[0]!.date, timezone),
    entryDate: group[0]!.date,
    source: "allocation" as const,
    document: { type: "payment" as const, id: group[0]!.paymentId },
    lines: group.flatMap(({ lines }) => lines),
  }));

/** Returns the entries that move the credit of a new payment, whose lease has been taken over, to the renewal that holds it on each day. */
export function takeoverEntries(
  payer: PayerDimensions,
  takeovers: readonly CreditHolder[],
  entries: readonly NewEntry[],
  chart: Chart,
  timezone: string,
): NewEntry[] {
  if (takeovers.length === 0) return [];
  const account = chart.accountId(PREPAID_RENT);
  const moves = entries.flatMap(({ entryDate, occurredAt, lines }) =>
    lines
      .filter(({ accountId }) => accountId === account)
      .map(({ leaseId = null, propertyId = null, creditCents, debitCents }): CreditMove => {
        return { leaseId, propertyId, movedOn: entryDate ?? localDateOf(occurredAt, timezone), cents: creditCents - debitCents };
      }),
  );
  const holders = [{ leaseId: payer.leaseId, since: FIRST_DAY }, ...takeovers];
  return transferEntries(
    transfersToHolders(holders, moves, FIRST_DAY).map((transfer) => transferPart(payer, transfer, chart)),
    timezone,
  );
}
