/** Days after a move-out within which the disposition of a security deposit is due. */
import { addDays, daysBetween } from "@freehold/kit/time/plain-date";
import { statutoryRows, type StatutoryRow } from "./statutory-deadlines.table.ts";

const rowsByState: ReadonlyMap<string, StatutoryRow> = new Map(statutoryRows.map((row) => [row.state, row]));

/** Deadline of a disposition in days after the move-out, and where it comes from. */
export interface Deadline {
  days: number;
  source: string;
  checkedOn: string | null;
  isUnverified: boolean;
}

const setByOrganization = (days: number, source: string): Deadline => ({ days, source, checkedOn: null, isUnverified: false });

/** Days that an organization has set: for a property, for states, and for states without days of their own. */
export interface OrganizationDays {
  property: number | null;
  policyByState: Readonly<Record<string, number | undefined>>;
  policy: number;
}

/** Default of the policy, with which the statute of a state applies unchanged. */
const DEFAULT_POLICY_DAYS = 30;

/**
 * Returns the deadline in a state: the days that the property sets, otherwise those that the organization's policy sets for the state, or those of
 * the state's statute, or of the organization's policy if the state has none here, or if the policy was changed to fewer.
 */
export function deadlineOf(state: string | null, days: OrganizationDays): Deadline {
  if (days.property !== null) return setByOrganization(days.property, "depositDeadlineDays of the property");
  const ofState = state ? days.policyByState[state] : undefined;
  if (ofState !== undefined) return setByOrganization(ofState, `The organization's policy depositDeadlineDaysByState, ${state}`);
  const row = state ? rowsByState.get(state) : undefined;
  if (!row || (days.policy !== DEFAULT_POLICY_DAYS && days.policy < row.days))
    return setByOrganization(days.policy, "The organization's policy defaultDepositDeadlineDays");
  const note = row.note ? ` (${row.note})` : "";
  return { days: row.days, source: `${row.source}, ${state}${note}`, checkedOn: row.checkedOn, isUnverified: row.isUnverified };
}

/** Returns the last day for the disposition after a move-out. */
export const dispositionDueOn = (moveOutDate: string, { days }: Deadline): string => addDays(moveOutDate, days);

/**
 * Returns the deadline of a deposit: the current one of its property while it gives the day on which the disposition is due, and otherwise the days
 * from the move-out to that day, which was set for the deposit or computed before a setting changed.
 */
export function deadlineOfDeposit(current: Deadline, deposit: { moveOutDate: string | null; dispositionDueOn: string | null }): Deadline {
  const { moveOutDate, dispositionDueOn: dueOn } = deposit;
  if (moveOutDate === null || dueOn === null || dispositionDueOn(moveOutDate, current) === dueOn) return current;
  return setByOrganization(daysBetween(moveOutDate, dueOn), "dispositionDueOn of the security deposit");
}

/** Returns the days from a day to the deadline; negative when it has passed. */
export const remainingDays = (dueOn: string, today: string): number => daysBetween(today, dueOn);
