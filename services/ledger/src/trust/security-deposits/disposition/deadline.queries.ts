import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { getLedgerSettings } from "../../../settings/ledger-settings.ts";
import { deadlineOf, dispositionDueOn, type Deadline } from "./statutory-deadlines.ts";

/** Returns the deadline of dispositions at a property, by the property itself, its state and the organization's policy. */
export async function readDeadline(db: StatementRunner, { propertyId }: { propertyId: string }): Promise<Deadline> {
  const { policies } = await getLedgerSettings(db);
  const property = await db.first(
    sql<{
      state: string;
      depositDeadlineDays: number | null;
    }>`select state, deposit_deadline_days from property_copy where organization_id = ${db.organizationId} and id = ${propertyId}`,
  );
  return deadlineOf(property?.state ?? null, { property: property?.depositDeadlineDays ?? null, policy: policies.defaultDepositDeadlineDays });
}

/** Returns the last day for the disposition of a deposit after a move-out. */
export const readDispositionDueOn = async (db: StatementRunner, deposit: { propertyId: string }, moveOutDate: string): Promise<string> =>
  dispositionDueOn(moveOutDate, await readDeadline(db, deposit));
