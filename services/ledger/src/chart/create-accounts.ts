/** Creation of the accounts of the standard chart. */
import { newId } from "@freehold/kit/db/entity";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { accountDefinitions, normalBalance } from "./chart.ts";

/** Creates the accounts of the standard chart that the organization does not have yet. */
export async function createMissingAccounts(db: StatementRunner): Promise<void> {
  const rows = accountDefinitions.map(({ accountType, isBank, isTrustLiability, ...account }) => ({
    id: newId(),
    ...account,
    account_type: accountType,
    normal_balance: normalBalance(accountType),
    is_bank: isBank ?? false,
    is_trust_liability: isTrustLiability ?? false,
  }));
  await db.all(sql`insert into category (organization_id, id, created_at, updated_at, code, name, account_type, normal_balance, subtype, is_bank, is_trust_liability)
    select ${db.organizationId}, id, now(), now(), code, name, account_type, normal_balance, subtype, is_bank, is_trust_liability
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as input (id uuid, code text, name text, account_type text, normal_balance text, subtype text, is_bank boolean, is_trust_liability boolean)
    on conflict (organization_id, code) do nothing`);
}

/** Returns true if an organization that is set up lacks accounts that were added to the standard chart later. */
export const lacksAccounts = (accounts: readonly { code: string }[]): boolean =>
  accounts.length > 0 && accountDefinitions.some((definition) => !accounts.some(({ code }) => code === definition.code));
