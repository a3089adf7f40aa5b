/** Derived source ids of rows that belong to a tenancy: occupants, deposits and opening balances. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";

const MAX_LENGTH = 400;
const DAY_LENGTH = "/2026-01-31".length;

/** Tells whether the derived ids of a type contain the first day of the tenancy, because a unit has several tenancies in succession. */
export const isOfTenancy = (entityType: ImportEntityType): boolean => entityType === "occupant" || entityType === "deposit" || entityType === "opening_balance";

/** Returns a derived source id, with the first day of the tenancy if it is known. */
export const tenancySourceId = (key: string, firstDay: string | undefined): string =>
  firstDay === undefined ? `~${key}`.slice(0, MAX_LENGTH) : `${`~${key}`.slice(0, MAX_LENGTH - DAY_LENGTH)}/${firstDay}`;

/** Returns the parts of a derived source id: the key of the unit and the tenant, which ids of earlier versions consist of, and the first day. */
export function parseTenancySourceId(sourceId: string): { key: string; firstDay?: string } {
  const [, key, firstDay] = /^(.*)\/(\d{4}-\d{2}-\d{2})$/s.exec(sourceId) ?? [];
  return key === undefined ? { key: sourceId } : { key, firstDay: firstDay! };
}
