/** Credits of charges: give, list and reverse. */
import type { Charge as ChargeView, ChargeCredit as View, charges } from "@freehold/contract/ledger/charges";
import type { BodyOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, notFound } from "@freehold/kit/errors";
import { PREPAID_RENT } from "../../chart/chart.ts";
import { getChart } from "../../chart/categories.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { Charge } from "../charges/charge.entity.ts";
import { requireAdjustable } from "../charges/charge.rules.ts";
import { getCharge } from "../charges/charges.ts";
import { stopCarrying } from "./carry-credits.ts";
import { ChargeCredit } from "./charge-credit.entity.ts";
import { postCredit, reverseCreditOfCharge } from "./post-credit.ts";

type CreditResponse = { charge: ChargeView; credit: View };

/** Reduces a charge by a credit, at most by its balance. */
export async function creditCharge(db: OrgDb, id: string, body: BodyOf<typeof charges.operations.creditCharge>): Promise<CreditResponse> {
  const chart = await getChart(db);
  return transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    const charge = await tx.getForUpdate(Charge, id, "Charge");
    requireAdjustable(charge, chart.accountId(PREPAID_RENT));
    const chargeCredit = await postCredit(tx, timezone, chart, charge, { ...body, memo: body.memo ?? null });
    return creditResponse(tx, chargeCredit);
  });
}

/** Reverses a credit: the charge is open again by its amount. Its uncarried amount is not carried to charges that are posted later. */
export const reverseCredit = (db: OrgDb, id: string, creditId: string): Promise<CreditResponse> =>
  transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    const charge = await tx.getForUpdate(Charge, id, "Charge");
    const chargeCredit = await tx.findOne(ChargeCredit, { id: creditId, chargeId: id });
    if (!chargeCredit) throw notFound("Credit");
    if (chargeCredit.reversedAt) throw conflict("The credit has already been reversed.", "already_reversed");
    if (chargeCredit.securityDepositId)
      throw conflict(
        `The security deposit ${chargeCredit.securityDepositId} pays for this credit. Void its transaction or reopen its disposition instead.`,
        "resource_in_use",
      );
    await reverseCreditOfCharge(tx, timezone, charge, chargeCredit, today(timezone));
    await stopCarrying(tx, chargeCredit);
    return creditResponse(tx, chargeCredit);
  });

async function creditResponse(tx: OrgTx, { id, chargeId }: ChargeCredit): Promise<CreditResponse> {
  const [credit] = await findCredits(tx, sql`id = ${id}`);
  return { charge: await getCharge(tx, chargeId), credit: credit! };
}

/** Returns the credits of a charge, oldest first, reversed ones included. */
export const listChargeCredits = (db: StatementRunner, chargeId: string): Promise<View[]> => findCredits(db, sql`charge_id = ${chargeId}`);

const findCredits = (db: StatementRunner, condition: RawBuilder<unknown>): Promise<View[]> =>
  db.all(sql<View>`select id, charge_id, amount_cents, reason, memo, credited_on, created_at, reversed_at from charge_credit
    where organization_id = ${db.organizationId} and ${condition} order by created_at, id limit 1000`);
