/** Properties that a run may charge: each is charged once for a day. */
import { conflict } from "@freehold/kit/errors";
import type { ChargedPeriod } from "./base.queries.ts";
import type { Period } from "./segments.rules.ts";

/**
 * Returns the properties that were not charged for the period. Throws a 409 when one of them was charged for a part of it, when
 * requested properties were charged, and when all were.
 */
export function requireUncharged(propertyIds: readonly string[], charged: readonly ChargedPeriod[], period: Period, isRequested: boolean): string[] {
  const conflicting = isRequested ? charged : charged.filter((each) => !contains(each, period));
  if (conflicting[0]) throw alreadyCharged(conflicting[0]);
  const done = new Set(charged.map(({ propertyId }) => propertyId));
  const rest = propertyIds.filter((id) => !done.has(id));
  if (rest.length === 0 && charged[0]) throw alreadyCharged(charged[0]);
  return rest;
}

const contains = (outer: Period, { periodStart, periodEnd }: Period): boolean => outer.periodStart <= periodStart && periodEnd <= outer.periodEnd;

function alreadyCharged({ propertyId, periodStart, periodEnd }: ChargedPeriod) {
  const message = `A run has charged the property ${propertyId} for ${periodStart} to ${periodEnd}. Reverse that run first, or choose another period.`;
  return conflict(message, "duplicate");
}
