/** Settings of an organization's ledger: time zone, default accounting basis and policies. */
import { Policies } from "@freehold/contract/identity/accounts";
import { transaction } from "@freehold/kit/db/transaction";
import { OrgDb, type StatementRunner } from "@freehold/kit/db/org-db";
import type { ListDefinition } from "@freehold/kit/db/list";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { ApiError } from "@freehold/kit/errors";
import { startOfDay, today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { scheduleAt, scheduleNow } from "@freehold/kit/jobs/scheduler";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { createMissingAccounts } from "../chart/create-accounts.ts";

export interface LedgerSettings {
  timezone: string;
  defaultBasis: "accrual" | "cash";
  policies: Policies;
  /** Last day of the closed and soft-closed accounting periods; null when none is closed. */
  softClosedThrough: string | null;
}

/** Settings as received from identity, with the policies as JSON. */
export interface LedgerSettingsInput {
  timezone: string;
  defaultBasis: string;
  policies: string;
  /** Version of the organization's settings; undefined at the sign-up, and from an earlier version of identity. */
  version?: number | undefined;
}

/** Creates the chart of accounts of an organization, saves its settings and schedules its daily jobs. Idempotent. */
export function setUpLedger(db: OrgDb, settings: LedgerSettingsInput): Promise<void> {
  return transaction(db, async (tx) => {
    await saveLedgerSettings(tx, settings);
    await createMissingAccounts(tx);
    await scheduleNow(tx, "postDueCharges");
    await scheduleNow(tx, "announceOverdueCharges");
    await scheduleAt(tx, "raiseDiagnostics", startOfDay(addDays(today(settings.timezone), 1), settings.timezone));
  });
}

/** Inserts the settings of the organization, or updates them unless later ones are saved. Those without a version are taken for the latest. */
export async function saveLedgerSettings(tx: OrgTx, { timezone, defaultBasis, policies, version }: LedgerSettingsInput): Promise<void> {
  await tx.all(sql`insert into book (organization_id, id, created_at, updated_at, timezone, default_basis, policies, settings_version)
    values (${tx.organizationId}, ${tx.organizationId}, now(), now(), ${timezone}, ${defaultBasis}, ${policies}::jsonb, ${version ?? 0})
    on conflict (organization_id, id) do update set timezone = excluded.timezone, default_basis = excluded.default_basis, policies = excluded.policies,
      settings_version = greatest(book.settings_version, excluded.settings_version), updated_at = excluded.updated_at, version = book.version + 1
      where ${version === undefined} or book.settings_version <= excluded.settings_version`);
}

/** Error of every operation until the ledger of the organization has its settings and accounts, moments after the sign-up. */
export const ledgerNotSetUp = (): ApiError =>
  new ApiError(503, "The ledger of this organization is not set up yet. Try again in a moment.", {
    code: "service_unavailable",
    headers: { "Retry-After": "1" },
  });

/** Policies that settings saved by an earlier version do not have. */
const policyDefaults = JSON.stringify({ depositDeadlineDaysByState: {} } satisfies Partial<Policies>);

/** Returns the settings of the organization. Throws 503 before its ledger is set up. */
export async function getLedgerSettings(db: StatementRunner): Promise<LedgerSettings> {
  const settings = await db.first(
    sql<LedgerSettings>`select timezone, default_basis, ${policyDefaults}::jsonb || policies as policies, soft_closed_through from book where organization_id = ${db.organizationId}`,
  );
  if (!settings) throw ledgerNotSetUp();
  return settings;
}

/**
 * Returns the database access of a principal in the time zone of the ledger's settings, which all dates of the ledger are in. That of
 * an access token may be outdated, since it is the organization's time zone when the token was issued.
 */
export async function inLedgerTimezone(db: OrgDb): Promise<OrgDb> {
  const { timezone } = await getLedgerSettings(db);
  return new OrgDb(db.database, { ...db.principal, timezone }, db.request);
}

/** Returns the conditions that a time is on one of the days from `first` to `last` in the time zone of the ledger's settings. An absent day sets no limit. */
export function onLedgerDays(db: StatementRunner, time: RawBuilder<unknown>, first: string | undefined, last: string | undefined): ListDefinition["where"] {
  const startOf = (day: string) => sql`(${day}::date::timestamp at time zone (select timezone from book where organization_id = ${db.organizationId}))`;
  return [first !== undefined && sql`${time} >= ${startOf(first)}`, last !== undefined && sql`${time} < ${startOf(addDays(last, 1))}`];
}
