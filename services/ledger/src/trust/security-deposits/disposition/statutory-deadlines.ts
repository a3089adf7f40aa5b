/** Days after a move-out within which states require the disposition of a security deposit. */
import { addDays, daysBetween } from "@freehold/kit/time/plain-date";

/** Days of a state. Where the law has several, the fewest are kept, which are in time in every case. */
interface StatutoryDays {
  days: number;
  /** Range or condition that the source names. */
  note?: string;
}

/** Secondary sources conflict with each other, so no row is verified. */
const SOURCE = "Compilation of state statutes from secondary sources";
const CHECKED_ON = "2026-11-20";

const daysByState: Readonly<Record<string, StatutoryDays>> = {
  AL: { days: 35, note: "35 to 60" },
  AK: { days: 14, note: "14, or 30 with deductions" },
  AZ: { days: 14 },
  AR: { days: 60 },
  CA: { days: 21 },
  CO: { days: 30, note: "up to 60 by the lease" },
  CT: { days: 15, note: "30, or 15 after the forwarding address" },
  DE: { days: 20 },
  DC: { days: 45 },
  FL: { days: 15, note: "15, or 30 with a notice of deductions" },
  GA: { days: 30 },
  HI: { days: 14 },
  ID: { days: 21, note: "up to 30 by the lease" },
  IL: { days: 30, note: "30 to 45" },
  IN: { days: 45 },
  IA: { days: 30 },
  KS: { days: 30 },
  KY: { days: 30, note: "30 to 60" },
  LA: { days: 30 },
  ME: { days: 30 },
  MD: { days: 45 },
  MA: { days: 30 },
  MI: { days: 30 },
  MN: { days: 21 },
  MS: { days: 45 },
  MO: { days: 30 },
  MT: { days: 10, note: "30, or 10 without deductions" },
  NE: { days: 14 },
  NV: { days: 30 },
  NH: { days: 30 },
  NJ: { days: 30 },
  NY: { days: 14 },
  OR: { days: 31, note: "other sources: 21" },
  TX: { days: 30 },
  WA: { days: 21, note: "a later change to 30 is reported" },
  WV: { days: 60 },
};

/** Deadline of a disposition in days after the move-out, and where it comes from. */
export interface Deadline {
  days: number;
  source: string;
  checkedOn: string | null;
  isUnverified: boolean;
}

const setByOrganization = (days: number, source: string): Deadline => ({ days, source, checkedOn: null, isUnverified: false });

/**
 * Returns the deadline in a state: the days that the property sets, otherwise those of the state's statute, or of the organization's policy
 * if the state has none here or the policy has fewer.
 */
export function deadlineOf(state: string | null, days: { property: number | null; policy: number }): Deadline {
  if (days.property !== null) return setByOrganization(days.property, "depositDeadlineDays of the property");
  const statute = state ? daysByState[state] : undefined;
  if (!statute || days.policy < statute.days) return setByOrganization(days.policy, "The organization's policy defaultDepositDeadlineDays");
  const note = statute.note ? ` (${statute.note})` : "";
  return { days: statute.days, source: `${SOURCE}, ${state}${note}`, checkedOn: CHECKED_ON, isUnverified: true };
}

/** Returns the last day for the disposition after a move-out. */
export const dispositionDueOn = (moveOutDate: string, { days }: Deadline): string => addDays(moveOutDate, days);

/** Returns the days from a day to the deadline; negative when it has passed. */
export const remainingDays = (dueOn: string, today: string): number => daysBetween(today, dueOn);
