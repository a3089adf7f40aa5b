/** Rules of the balance of a tenant. */
import type { PortalBalance } from "@freehold/contract/portals/tenant-portal-money";

/** Amount that is or will be due on a day. */
export interface Due {
  dueDate: string;
  amountCents: number;
}

/** Returns the earliest day after today on which something is due, and the sum of that day. */
export function nextDue(dues: readonly Due[], today: string): Pick<PortalBalance, "nextDueOn" | "nextDueCents"> {
  const later = dues.filter(({ dueDate }) => dueDate > today);
  const nextDueOn = later.map(({ dueDate }) => dueDate).toSorted()[0] ?? null;
  const cents = later.reduce((sum, { dueDate, amountCents }) => (dueDate === nextDueOn ? sum + amountCents : sum), 0);
  return { nextDueOn, nextDueCents: Math.min(cents, Number.MAX_SAFE_INTEGER) as PortalBalance["nextDueCents"] };
}
