import { Policies } from "@freehold/contract/accounts";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import { chart, normalBalance } from "../chart/chart.ts";

export interface BookTerms {
  timezone: string;
  defaultBasis: string;
  policies: string;
}

/** Opens an organization's books: its chart of accounts exists when this returns. Repeated, it only brings the rules up to date. */
export function setUpLedger(db: OrgDb, terms: BookTerms): Promise<void> {
  return transaction(db, async (tx) => {
    await rememberRules(tx, terms);
    const rows = chart.map(({ isBank, isTrustLiability, ...account }) => ({
      id: newId(),
      ...account,
      normal_balance: normalBalance(account.accountType),
      is_bank: isBank ?? false,
      is_trust_liability: isTrustLiability ?? false,
      account_type: account.accountType,
    }));
    await tx.all(sql`insert into category (organization_id, id, created_at, updated_at, code, name, account_type, normal_balance, subtype, is_bank, is_trust_liability)
      select ${tx.organizationId}, id, now(), now(), code, name, account_type, normal_balance, subtype, is_bank, is_trust_liability
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (id uuid, code text, name text, account_type text, normal_balance text, subtype text, is_bank boolean, is_trust_liability boolean)
      on conflict (organization_id, code) do nothing`);
    await scheduleNow(tx, "postDueCharges");
    await scheduleNow(tx, "announceOverdueCharges");
  });
}

/** Keeps what identity says of the organization. */
export async function rememberRules(tx: OrgTx, { timezone, defaultBasis, policies }: BookTerms): Promise<void> {
  await tx.all(sql`insert into book (organization_id, id, created_at, updated_at, timezone, default_basis, policies)
    values (${tx.organizationId}, ${tx.organizationId}, now(), now(), ${timezone}, ${defaultBasis}, ${policies}::jsonb)
    on conflict (organization_id, id) do update set timezone = excluded.timezone, default_basis = excluded.default_basis, policies = excluded.policies,
      updated_at = excluded.updated_at, version = book.version + 1`);
}

export interface BookRules {
  timezone: string;
  defaultBasis: "accrual" | "cash";
  policies: Policies;
}

/** The organization's day and rules. */
export async function rulesOf(db: StatementRunner): Promise<BookRules> {
  const rules = await db.first(sql<BookRules>`select timezone, default_basis, policies from book where organization_id = ${db.organizationId}`);
  if (!rules) throw new Error(`The books of ${db.organizationId} are not open.`);
  return rules;
}
