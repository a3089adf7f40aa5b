/** Refund of a security deposit to the tenant. */
import type { SecurityDeposit as View } from "@freehold/contract/trust/security-deposit.schema";
import type { securityDeposits } from "@freehold/contract/trust/security-deposits";
import type { BodyOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict } from "@freehold/kit/errors";
import { localDateOf } from "@freehold/kit/time/clock";
import { getChart } from "../../../chart/categories.ts";
import { requireOpenPeriod } from "../../../periods/require-open-period.ts";
import { getLedgerSettings } from "../../../settings/ledger-settings.ts";
import { checkMoneyAccount } from "../../bank-accounts/bank-account-references.ts";
import { lockPlace, requireTrustAccount, requireDepositFunds } from "../deposit-place.ts";
import { lockSecurityDeposit } from "../lock-security-deposit.ts";
import type { SecurityDeposit } from "../security-deposit.entity.ts";
import { depositDimensions, paidOutLines, requireAtMost } from "../security-deposit.rules.ts";
import { publishDepositEvent } from "../security-deposit-events.ts";
import { getSecurityDeposit } from "../security-deposits.ts";
import { addTransaction, postDepositEntry } from "./post-transaction.ts";

type Body = BodyOf<typeof securityDeposits.operations.refundSecurityDeposit>;

/** Pays a finalized deposit, or a part of it, back. Throws a 409 before the disposition is finalized and after everything was refunded. */
export const refundSecurityDeposit = (db: OrgDb, id: string, body: Body): Promise<{ securityDeposit: View; warnings: string[] }> =>
  transaction(db, async (tx) => {
    const deposit = await lockSecurityDeposit(tx, id);
    const chart = await getChart(tx);
    const requested = await checkMoneyAccount(tx, chart, body.bankAccountId, "bankAccountId");
    if (deposit.holder === "organization") requireTrustAccount(chart, requested);
    const { status, heldCents } = await getSecurityDeposit(tx, id);
    requireDisposed(status);
    requireAtMost(body.amountCents, heldCents, "amountCents", "Lower amountCents.");
    const { timezone } = await getLedgerSettings(tx);
    const occurredOn = localDateOf(body.paidAt, timezone);
    const { amountCents, method, referenceNumber = null, payees } = body;
    const posted = deposit.holder === "owner" ? {} : await payOut(tx, deposit, body, occurredOn);
    addTransaction(tx, deposit, "refund", { amountCents, occurredOn, method, referenceNumber, payees, ...posted });
    await tx.flush();
    await publishDepositEvent(tx, "security_deposit.refunded", deposit);
    return { securityDeposit: await getSecurityDeposit(tx, id), warnings: tx.warnings };
  });

function requireDisposed(status: View["status"]): void {
  if (status === "disposed") return;
  const isPaid = status === "refunded" || status === "forfeited" || status === "transferred";
  throw conflict(isPaid ? "Nothing of the deposit is left to refund." : "Finalize the disposition of the deposit before its refund.", "invalid_transition");
}

/** Posts a refund from a bank account. Throws a 409 when the account holds too little of the deposit. */
async function payOut(tx: OrgTx, deposit: SecurityDeposit, { amountCents, bankAccountId: requestedId, paidAt }: Body, date: string) {
  const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
  await requireOpenPeriod(tx, date, undefined);
  const place = await lockPlace(tx, chart, deposit, { requestedId, amountCents, date });
  const bank = { accountId: place.accountId!, bankAccountId: place.bankAccountId };
  const lines = paidOutLines(chart, depositDimensions(deposit), bank, amountCents, { description: "Security deposit refunded" });
  const entryId = await postDepositEntry(tx, settings.timezone, deposit, { memo: "Refund of a security deposit", date, occurredAt: new Date(paidAt), lines });
  await requireDepositFunds(tx, settings, chart, deposit, place, date);
  return { ...bank, entryId };
}
