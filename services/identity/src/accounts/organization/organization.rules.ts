import type { Policies } from "@freehold/contract/identity/accounts";
import type { FieldError } from "@freehold/contract/errors";
import { isTimezone } from "@freehold/kit/time/clock";
import { invalid } from "@freehold/kit/errors";

/** Policies of a new organization. */
export const defaultPolicies: Policies = {
  prorationMethod: "actual_days",
  allocationOrder: ["rent", "parking", "utility", "fee", "other", "nsf_fee", "late_fee", "deposit"],
  autoAllocatePayments: false,
  acceptPartialPayments: true,
  lateFeeMaxBps: null,
  lateFeeMaxCents: null,
  nsfFeeCents: 0 as Policies["nsfFeeCents"],
  autoChargeNsfFee: false,
  portalLockAfterReturns: null,
  trustOverdraft: "block",
  vendorInsurance: "off",
  postDaysInAdvance: 0,
  taxReportingThresholdCents: 2_000_00 as Policies["taxReportingThresholdCents"],
  defaultDepositDeadlineDays: 30,
  depositDeadlineDaysByState: {},
};

/** Returns a slug of the organization's name: at most 60 lower-case letters, digits and single hyphens. */
export function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-+|-+$/g, "");
  return slug || "organization";
}

function isLocale(locale: string): boolean {
  try {
    return Intl.getCanonicalLocales(locale).length === 1;
  } catch {
    return false;
  }
}

/** Throws 400 unless the time zone is in the IANA database. Rejects offsets such as +05:00, which have no daylight saving time. */
export function requireTimezone(timezone: string): void {
  if (/^[+-]/.test(timezone) || !isTimezone(timezone))
    throw invalid([{ path: "timezone", code: "format", message: "timezone must be an IANA time zone, such as America/New_York." }]);
}

/** Throws 400 for an unknown time zone, an invalid locale or an allocation order with duplicates. */
export function requireValidSettings(
  settings: { timezone?: string | undefined; locale?: string | undefined },
  policies?: { allocationOrder?: Policies["allocationOrder"] | undefined },
): void {
  if (settings.timezone !== undefined) requireTimezone(settings.timezone);
  const errors: FieldError[] = [];
  if (settings.locale !== undefined && !isLocale(settings.locale))
    errors.push({ path: "locale", code: "format", message: "locale must be a language tag, such as en-US." });
  const order = policies?.allocationOrder ?? [];
  if (new Set(order).size < order.length)
    errors.push({ path: "policies.allocationOrder", code: "unique", message: "policies.allocationOrder lists a charge type twice. Remove the duplicate." });
  if (errors.length > 0) throw invalid(errors);
}
