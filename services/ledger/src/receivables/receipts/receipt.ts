/** Receipts of payments. */
import type { PaymentReceipt } from "@freehold/contract/ledger/payments";
import { localDateOf, now } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../../clients.ts";
import { getLeaseBalances } from "../balances/balances.queries.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { getPayment, readPaymentDays } from "../payments/payments.ts";
import { receiptNumber } from "./receipt.rules.ts";

/** Returns the receipt of a payment as of now. Throws 404 for an unknown payment. */
export async function getPaymentReceipt(db: OrgDb, { identity }: Clients, id: string): Promise<PaymentReceipt> {
  const payment = await getPayment(db, id);
  const issuedAt = now();
  const [{ name }, { timezone }, { receivedOn }, balances] = await Promise.all([
    identity.getOrganization(db, {}),
    getLedgerSettings(db),
    readPaymentDays(db, id),
    payment.leaseId ? getLeaseBalances(db, [payment.leaseId]) : [],
  ]);
  type Cents = PaymentReceipt["allocatedCents"];
  return {
    number: receiptNumber(receivedOn, id),
    issuedAt: issuedAt.toISOString(),
    issuedOn: localDateOf(issuedAt, timezone),
    organizationName: name,
    payment,
    receivedOn,
    allocatedCents: payment.allocations.reduce((sum, { amountCents }) => sum + amountCents, 0) as Cents,
    leaseBalanceCents: (balances[0]?.balanceCents ?? null) as Cents | null,
  };
}
