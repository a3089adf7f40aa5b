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
export const getPaymentReceipt = async (db: OrgDb, clients: Clients, id: string): Promise<PaymentReceipt> => receiptOf(db, clients, await getPayment(db, id));

/** Returns the receipt of a payment that was read before, as of now. */
export async function receiptOf(db: OrgDb, { identity }: Clients, payment: PaymentReceipt["payment"]): Promise<PaymentReceipt> {
  const issuedAt = now();
  const [{ name }, { timezone }, { receivedOn }, balances] = await Promise.all([
    identity.getOrganization(db, {}),
    getLedgerSettings(db),
    readPaymentDays(db, payment.id),
    payment.leaseId ? getLeaseBalances(db, [payment.leaseId]) : [],
  ]);
  type Cents = PaymentReceipt["allocatedCents"];
  return {
    number: receiptNumber(receivedOn, payment.id),
    issuedAt: issuedAt.toISOString(),
    issuedOn: localDateOf(issuedAt, timezone),
    organizationName: name,
    payment,
    receivedOn,
    allocatedCents: payment.allocations.reduce((sum, { amountCents }) => sum + amountCents, 0) as Cents,
    leaseBalanceCents: (balances[0]?.balanceCents ?? null) as Cents | null,
  };
}
