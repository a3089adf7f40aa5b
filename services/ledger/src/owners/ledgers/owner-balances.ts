/** Balances of the ledgers of owners, for other services. */
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { today } from "@freehold/kit/time/clock";
import type { OpenBalances, OwnerBalance } from "@freehold/proto/ledger/v1/ledger";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import { getChart } from "../../chart/categories.ts";
import { OWNER_PAYABLE } from "../../chart/chart.ts";
import type { Clients } from "../../clients.ts";
import { aggregateBalances } from "../../receivables/balances/open-balances.queries.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { findOwnedProperties } from "../owned-properties.ts";
import { shareTerms } from "../ownership.rules.ts";
import { selectOwnerBalances } from "./owner-ledger.queries.ts";

/** Selects what properties owe to their owners today on the cash basis, with the lines of account 2200 that name an owner, as `id` and `cents`. */
async function selectBalances(db: OrgDb, properties: readonly OwnedProperty[]): Promise<RawBuilder<unknown>> {
  const [{ timezone }, chart] = await Promise.all([getLedgerSettings(db), getChart(db)]);
  return sql`select owner_id as id, balance_cents as cents from (${selectOwnerBalances(db, properties.flatMap(shareTerms), today(timezone))}) owned
    union all select owner_id, credit_cents - debit_cents from journal_line
      where organization_id = ${db.organizationId} and owner_id is not null and account_id = ${chart.accountId(OWNER_PAYABLE)}`;
}

/** Returns the nonzero balances of owners. */
export const listOwnerBalances = async (db: OrgDb, clients: Clients): Promise<OpenBalances[]> =>
  aggregateBalances(db, await selectBalances(db, await findOwnedProperties(db, clients)));

/** Returns the balance of each owner. */
export async function getOwnerBalances(db: OrgDb, clients: Clients, ownerIds: readonly string[]): Promise<OwnerBalance[]> {
  if (ownerIds.length === 0) return [];
  const balances = await selectBalances(db, await findOwnedProperties(db, clients, ownerIds));
  return db.all(sql`select requested.id as owner_id, ${clampSumToSafeInteger(sql`coalesce(sum(balance.cents), 0)`)} as balance_cents
    from unnest(${[...ownerIds]}::uuid[]) as requested (id) left join (${balances}) balance on balance.id = requested.id group by requested.id`);
}
