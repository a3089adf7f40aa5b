import type { DepositDeadline } from "@freehold/contract/trust/security-deposit.schema";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { getLedgerSettings, type LedgerSettings } from "../../../settings/ledger-settings.ts";
import { deadlineOf, dispositionDueOn, type Deadline, type OrganizationDays } from "./statutory-deadlines.ts";
import { statutoryRows } from "./statutory-deadlines.table.ts";

/** Returns the deadline of dispositions at a property, by the property itself, its state and the organization's policy. */
export async function readDeadline(db: StatementRunner, { propertyId }: { propertyId: string }): Promise<Deadline> {
  const { policies } = await getLedgerSettings(db);
  const property = await db.first(
    sql<{
      state: string;
      depositDeadlineDays: number | null;
    }>`select state, deposit_deadline_days from property_copy where organization_id = ${db.organizationId} and id = ${propertyId}`,
  );
  return deadlineOf(property?.state ?? null, { property: property?.depositDeadlineDays ?? null, ...policyDays(policies) });
}

/** Returns the days that the policies of an organization set. */
const policyDays = ({ depositDeadlineDaysByState, defaultDepositDeadlineDays }: LedgerSettings["policies"]): Omit<OrganizationDays, "property"> => ({
  policyByState: depositDeadlineDaysByState,
  policy: defaultDepositDeadlineDays,
});

/** Returns the table of the states, with the days that the organization's policies set and those that apply where a property sets none. */
export async function listDepositDeadlines(db: StatementRunner): Promise<DepositDeadline[]> {
  const { policies } = await getLedgerSettings(db);
  const { depositDeadlineDaysByState } = policies;
  const rows = new Map(statutoryRows.map((row) => [row.state, row]));
  const states = [...new Set([...rows.keys(), ...Object.keys(depositDeadlineDaysByState)])].toSorted();
  return states.map((state) => {
    const row = rows.get(state);
    return {
      state: state as DepositDeadline["state"],
      statutoryDays: row?.days ?? null,
      note: row?.note ?? null,
      source: row?.source ?? null,
      checkedOn: row?.checkedOn ?? null,
      isUnverified: row?.isUnverified ?? false,
      policyDays: depositDeadlineDaysByState[state as DepositDeadline["state"]] ?? null,
      days: deadlineOf(state, { property: null, ...policyDays(policies) }).days,
    };
  });
}

/** Returns the last day for the disposition of a deposit after a move-out. */
export const readDispositionDueOn = async (db: StatementRunner, deposit: { propertyId: string }, moveOutDate: string): Promise<string> =>
  dispositionDueOn(moveOutDate, await readDeadline(db, deposit));
