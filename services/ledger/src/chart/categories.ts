import type { Category as CategoryView } from "@freehold/contract/categories";
import type { z } from "zod";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { ApiError, invalid, unknownReference } from "@freehold/kit/errors";
import { LRUCache } from "lru-cache";
import { sql } from "@freehold/kit/db/statement";
import { settlementAccounts, type Account } from "./chart.ts";

type View = z.output<typeof CategoryView>;

/** The chart of accounts, by code. */
export async function listCategories(db: OrgDb): Promise<View[]> {
  const rows = await db.all(sql<Omit<View, "parentId" | "isActive" | "isSystem">>`
    select id, code, name, account_type, normal_balance, subtype, is_bank, is_trust_liability from category where organization_id = ${db.organizationId} order by code`);
  return rows.map((row) => ({ ...row, parentId: null, isActive: true, isSystem: true }));
}

/** An organization's accounts, both ways: the chart never changes, so it may be remembered. */
export interface Chart {
  idOf(code: string): string;
  find(id: string): { id: string; code: string; name: string; accountType: Account["accountType"] } | undefined;
}

const known = new LRUCache<string, Chart>({ max: 20_000 });

export async function chartOf(db: StatementRunner): Promise<Chart> {
  const remembered = known.get(db.organizationId);
  if (remembered) return remembered;
  const rows = await db.all(sql<{ id: string; code: string; name: string; accountType: Account["accountType"] }>`
    select id, code, name, account_type from category where organization_id = ${db.organizationId}`);
  if (rows.length === 0)
    throw new ApiError(503, "The books of this organization are not open yet. Try again in a moment.", {
      code: "service_unavailable",
      headers: { "Retry-After": "1" },
    });
  const byCode = new Map(rows.map((row) => [row.code, row.id]));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const chart: Chart = { idOf: (code) => byCode.get(code)!, find: (id) => byId.get(id) };
  known.set(db.organizationId, chart);
  return chart;
}

/** The id of an account that a request names, or a 400 that names the field. */
export function requireAccount(chart: Chart, id: string, path: string): string {
  if (!chart.find(id)) throw unknownReference(path, "account");
  return id;
}

/** The id of an account that a charge may be credited to. The accounts that the ledger settles through are its own: their balance is the sum of charges, payments or deposits. */
export function requireChargeable(chart: Chart, id: string, path: string): string {
  const { code } = chart.find(requireAccount(chart, id, path))!;
  if (!settlementAccounts.includes(code)) return id;
  throw invalid([{ path, code: "not_allowed", message: "Charges cannot be credited to this account; it holds what payments settle. Name an income account." }]);
}
