/** Creation of many charges with one request: the valid ones are posted in one transaction, the others are reported. */
import { NewCharge as NewChargeRequest, type Charge as View, type charges } from "@freehold/contract/ledger/charges";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { ApiError } from "@freehold/kit/errors";
import { parse } from "@freehold/kit/http/validation";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { requireOpenDate } from "../../periods/accounting-period.rules.ts";
import { findProjectedLeases } from "../../projections/projections.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { createChargesAtOnce, resolveCharge, type ChargeOrigin } from "./charges.ts";

type Operation = typeof charges.operations.createCharges;
type ItemError = Output<Operation>["errors"][number];

/** Posts the valid charges of a request, all of them or none, and returns the errors of the others with their positions. */
export async function createCharges(
  db: OrgDb,
  clients: Clients,
  { charges: items }: BodyOf<Operation>,
  origin: ChargeOrigin,
): Promise<{ charges: View[]; errors: ItemError[] }> {
  const [chart, { softClosedThrough }] = await Promise.all([getChart(db), getLedgerSettings(db)]);
  const errors: ItemError[] = [];
  const validated = items.flatMap((item, index) => collectErrors(errors, index, () => ({ index, body: parse(NewChargeRequest, item) })) ?? []);
  const leases = await findProjectedLeases(db, clients.portfolio, [...new Set(validated.map(({ body }) => body.leaseId))]);
  const resolved = validated.flatMap(
    ({ index, body }) =>
      collectErrors(errors, index, () => {
        const charge = resolveCharge(chart, leases.get(body.leaseId), body, origin);
        if (charge.isDateFixed) requireOpenDate(softClosedThrough, charge.dueDate);
        return { chart, charge };
      }) ?? [],
  );
  errors.sort((a, b) => a.index - b.index);
  return transaction(db, async (tx) => {
    const posted = resolved.length > 0 ? await createChargesAtOnce(tx, resolved) : [];
    return { charges: posted.map(({ charge }) => charge), errors };
  });
}

/** Returns the result of the validation of an item, or adds its field errors and returns undefined. */
function collectErrors<T>(errors: ItemError[], index: number, validate: () => T): T | undefined {
  try {
    return validate();
  } catch (error) {
    if (error instanceof ApiError && error.errors) errors.push(...error.errors.map((fieldError) => ({ index, ...fieldError })));
    else if (error instanceof ApiError && error.code === "period_closed") errors.push({ index, path: "dueDate", code: "not_allowed", message: error.message });
    else throw error;
    return undefined;
  }
}
