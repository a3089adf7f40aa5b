/** Application of a security deposit to open charges before its disposition. */
import type { SecurityDeposit as View } from "@freehold/contract/trust/security-deposit.schema";
import type { securityDeposits } from "@freehold/contract/trust/security-deposits";
import type { BodyOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { invalid } from "@freehold/kit/errors";
import { today } from "@freehold/kit/time/clock";
import { getChart } from "../../../chart/categories.ts";
import { requireOpenPeriod } from "../../../periods/require-open-period.ts";
import { getLedgerSettings } from "../../../settings/ledger-settings.ts";
import { checkTrustAccount, lockPlace, requireDepositFunds } from "../deposit-place.ts";
import { lockSecurityDeposit } from "../lock-security-deposit.ts";
import { requireOrganizationHolds } from "../organization-holds.ts";
import { requireAtMost, requireHeldDeposit } from "../security-deposit.rules.ts";
import { publishDepositEvent } from "../security-deposit-events.ts";
import { getSecurityDeposit } from "../security-deposits.ts";
import { addTransaction } from "./post-transaction.ts";
import { lockSettledCharges, settleCharge } from "./settle-charges.ts";

type Body = BodyOf<typeof securityDeposits.operations.applySecurityDeposit>;

/** Settles charges of the tenancy with the deposit. Throws a 400 for more than is held and not deducted, and a 409 for a deposit that is not held. */
export const applySecurityDeposit = (db: OrgDb, id: string, body: Body): Promise<{ securityDeposit: View; warnings: string[] }> =>
  transaction(db, async (tx) => {
    const { allocations } = body;
    const deposit = await lockSecurityDeposit(tx, id);
    const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
    await checkTrustAccount(tx, chart, body.bankAccountId);
    requireDistinct(allocations);
    const charges = await lockSettledCharges(tx, deposit, allocations, (index, member) => `allocations.${index}.${member}`);
    const { status, heldCents, deductionsCents } = await getSecurityDeposit(tx, id);
    requireHeldDeposit(status);
    requireOrganizationHolds(deposit);
    const amountCents = allocations.reduce((sum, each) => sum + each.amountCents, 0);
    requireAtMost(amountCents, heldCents - deductionsCents, "allocations", "Lower the amounts.");
    const date = body.occurredOn ?? today(settings.timezone);
    await requireOpenPeriod(tx, date, undefined);
    const place = await lockPlace(tx, chart, deposit, { requestedId: body.bankAccountId, amountCents, date });
    const { accountId, bankAccountId } = place;
    for (const allocation of allocations) {
      const details = { amountCents: allocation.amountCents, date, bankAccountId, memo: "Paid from the security deposit" };
      const credit = await settleCharge(tx, settings.timezone, chart, deposit, charges.get(allocation.chargeId)!, details);
      const { creditedOn: occurredOn, entryId } = credit;
      addTransaction(tx, deposit, "application", { ...allocation, occurredOn, accountId, bankAccountId, entryId, creditIds: [credit.id] });
    }
    await tx.flush();
    await requireDepositFunds(tx, settings, chart, deposit, place, date);
    await publishDepositEvent(tx, "security_deposit.applied", deposit);
    return { securityDeposit: await getSecurityDeposit(tx, id), warnings: tx.warnings };
  });

function requireDistinct(allocations: Body["allocations"]): void {
  const repeated = allocations.findIndex(({ chargeId }, index) => allocations.findIndex((each) => each.chargeId === chargeId) < index);
  if (repeated === -1) return;
  throw invalid([{ path: `allocations.${repeated}.chargeId`, code: "unique", message: "The charge is named twice. Name each charge once." }]);
}
