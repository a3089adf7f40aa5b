/** Final disposition of a security deposit: its deductions are posted, and what is left is payable to the tenant. */
import type { SecurityDeposit as View } from "@freehold/contract/trust/security-deposit.schema";
import type { securityDeposits } from "@freehold/contract/trust/security-deposits";
import type { BodyOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { localDateOf } from "@freehold/kit/time/clock";
import { getChart } from "../../../chart/categories.ts";
import { requireOpenPeriod } from "../../../periods/require-open-period.ts";
import { getLedgerSettings } from "../../../settings/ledger-settings.ts";
import type { Clients } from "../../../clients.ts";
import { checkTrustAccount, lockPlace, requireDepositFunds } from "../deposit-place.ts";
import { lockSecurityDeposit } from "../lock-security-deposit.ts";
import { SecurityDepositDeduction, type SecurityDeposit } from "../security-deposit.entity.ts";
import { depositDimensions, incomeLines, requireHeldDeposit, trustCents } from "../security-deposit.rules.ts";
import { publishDepositEvent } from "../security-deposit-events.ts";
import { getSecurityDeposit } from "../security-deposits.ts";
import { postDepositEntry } from "../transactions/post-transaction.ts";
import { readDisposition } from "./disposition.ts";
import { lockSettledCharges, settleCharge } from "../transactions/settle-charges.ts";

type Body = BodyOf<typeof securityDeposits.operations.finalizeSecurityDeposit>;

/**
 * Finalizes the disposition of a deposit and posts its deductions. Throws a 409 for a deposit that is not held, has no move-out, or holds
 * less than its deductions, and for a day in a closed period. The letter is stored as it is sent.
 */
export async function finalizeSecurityDeposit(
  db: OrgDb,
  { identity }: Clients,
  id: string,
  body: Body,
): Promise<{ securityDeposit: View; warnings: string[] }> {
  const { name: organizationName } = await identity.getOrganization(db, {});
  return transaction(db, async (tx) => {
    const deposit = await lockSecurityDeposit(tx, id);
    await checkTrustAccount(tx, await getChart(tx), body.bankAccountId);
    requireFinalizable(await getSecurityDeposit(tx, id));
    const { timezone } = await getLedgerSettings(tx);
    const sentOn = localDateOf(body.sentAt, timezone);
    await requireOpenPeriod(tx, sentOn, undefined);
    const deductions = await tx.find(SecurityDepositDeduction, { securityDepositId: id }, { orderBy: { id: "asc" } } as never);
    const posts = deductions.length > 0 && deposit.holder === "organization";
    const dispositionEntryId = posts ? await postDeductions(tx, deposit, deductions, body, sentOn) : null;
    const { method: dispositionMethod, forwardingAddress } = body;
    tx.assign(
      deposit,
      omitUndefined({ dispositionSentAt: new Date(body.sentAt), dispositionMethod, forwardingAddress, dispositionEntryId, isOpen: false }) as never,
    );
    await tx.flush();
    tx.assign(deposit, { dispositionLetter: await readDisposition(tx, organizationName, await getSecurityDeposit(tx, id)) });
    await publishDepositEvent(tx, "security_deposit.finalized", deposit);
    return { securityDeposit: await getSecurityDeposit(tx, id), warnings: tx.warnings };
  });
}

function requireFinalizable(view: View): void {
  requireHeldDeposit(view.status);
  if (view.moveOutDate === null)
    throw conflict("The lease has no move-out yet. Terminate the lease, or set moveOutDate of the deposit, first.", "invalid_transition");
  if (view.deductionsCents > view.heldCents)
    throw conflict(`The deductions exceed the ${view.heldCents} cents that are held. Delete deductions first.`, "insufficient_trust_funds");
  if (view.holder === "owner" && trustCents(view) > 0)
    throw conflict("The owner holds this deposit, but a part of it is still held in trust. Transfer it to the owner first.", "invalid_transition");
}

/**
 * Posts deductions: each settles its charge, and the others become income in one entry, whose id is returned; null when all of them
 * settle charges. Throws a 409 when the bank account holds too little of the deposit.
 */
async function postDeductions(
  tx: OrgTx,
  deposit: SecurityDeposit,
  deductions: readonly SecurityDepositDeduction[],
  body: Body,
  date: string,
): Promise<string | null> {
  const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
  const settlements = deductions.flatMap((deduction) =>
    deduction.chargeId ? [{ deduction, chargeId: deduction.chargeId, amountCents: deduction.amountCents }] : [],
  );
  const charges = await lockSettledCharges(
    tx,
    deposit,
    settlements,
    (index, member) => `deductions.${deductions.indexOf(settlements[index]!.deduction)}.${member}`,
  );
  const amountCents = deductions.reduce((sum, each) => sum + each.amountCents, 0);
  const place = await lockPlace(tx, chart, deposit, { requestedId: body.bankAccountId, amountCents, date });
  const { bankAccountId } = place;
  for (const { deduction, chargeId } of settlements) {
    const details = { amountCents: deduction.amountCents, date, bankAccountId, memo: deduction.description };
    const credit = await settleCharge(tx, settings.timezone, chart, deposit, charges.get(chargeId)!, details);
    tx.assign(deduction, { entryId: credit.entryId, creditId: credit.id });
  }
  const income = deductions.filter(({ chargeId }) => !chargeId);
  const lines = incomeLines(chart, depositDimensions(deposit), bankAccountId, income);
  const entryId =
    income.length > 0
      ? await postDepositEntry(tx, settings.timezone, deposit, { memo: "Deductions of a security deposit", date, occurredAt: new Date(body.sentAt), lines })
      : null;
  for (const deduction of income) tx.assign(deduction, { entryId });
  await tx.flush();
  await requireDepositFunds(tx, settings, chart, deposit, place, date);
  return entryId;
}
