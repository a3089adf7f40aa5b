/** Settings of an organization's ledger: time zone, default accounting basis and policies. */
import { Policies } from "@freehold/contract/identity/accounts";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import { accountDefinitions, normalBalance } from "../chart/chart.ts";

export interface LedgerSettings {
  timezone: string;
  defaultBasis: "accrual" | "cash";
  policies: Policies;
  /** Last day of the closed and soft-closed accounting periods; null when none is closed. */
  closedThrough: string | null;
}

/** Settings as received from identity, with the policies as JSON. */
export interface LedgerSettingsInput {
  timezone: string;
  defaultBasis: string;
  policies: string;
}

/** Creates the chart of accounts of an organization, saves its settings and schedules its daily jobs. Idempotent. */
export function setUpLedger(db: OrgDb, settings: LedgerSettingsInput): Promise<void> {
  return transaction(db, async (tx) => {
    await saveLedgerSettings(tx, settings);
    const rows = accountDefinitions.map(({ isBank, isTrustLiability, ...account }) => ({
      id: newId(),
      ...account,
      normal_balance: normalBalance(account.accountType),
      is_bank: isBank ?? false,
      is_trust_liability: isTrustLiability ?? false,
      account_type: account.accountType,
    }));
    await tx.all(sql`insert into category (organization_id, id, created_at, updated_at, code, name, account_type, normal_balance, subtype, is_bank, is_trust_liability)
      select ${tx.organizationId}, id, now(), now(), code, name, account_type, normal_balance, subtype, is_bank, is_trust_liability
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as input (id uuid, code text, name text, account_type text, normal_balance text, subtype text, is_bank boolean, is_trust_liability boolean)
      on conflict (organization_id, code) do nothing`);
    await scheduleNow(tx, "postDueCharges");
    await scheduleNow(tx, "announceOverdueCharges");
  });
}

/** Inserts or updates the settings of the organization. */
export async function saveLedgerSettings(tx: OrgTx, { timezone, defaultBasis, policies }: LedgerSettingsInput): Promise<void> {
  await tx.all(sql`insert into book (organization_id, id, created_at, updated_at, timezone, default_basis, policies)
    values (${tx.organizationId}, ${tx.organizationId}, now(), now(), ${timezone}, ${defaultBasis}, ${policies}::jsonb)
    on conflict (organization_id, id) do update set timezone = excluded.timezone, default_basis = excluded.default_basis, policies = excluded.policies,
      updated_at = excluded.updated_at, version = book.version + 1`);
}

/** Returns the settings of the organization. Throws when its ledger is not set up. */
export async function getLedgerSettings(db: StatementRunner): Promise<LedgerSettings> {
  const settings = await db.first(
    sql<LedgerSettings>`select timezone, default_basis, policies, soft_closed_through as closed_through from book where organization_id = ${db.organizationId}`,
  );
  if (!settings) throw new Error(`The ledger of ${db.organizationId} is not set up.`);
  return settings;
}
