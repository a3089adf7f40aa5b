import { containsPattern, MIN_INDEXED_LENGTH } from "@freehold/kit/like-pattern";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Returns the condition that an id is that of a search entry that may contain the text: true for a text that is too short for the index. */
const isCandidate = (id: RawBuilder<unknown>, kind: "tenant" | "payment" | "expense", search: string): RawBuilder<unknown> =>
  search.length < MIN_INDEXED_LENGTH ? sql`true` : sql`${id} in (select find_search_candidates(${search}, ${kind}))`;

/** Condition that the tenant's name or the check number of the payment `p` contains the text, in upper or lower case. */
export const paymentContains = (db: OrgDb, search: string): RawBuilder<unknown> => sql`(p.tenant_id in (select id from tenant_copy
    where organization_id = ${db.organizationId} and full_name ilike ${containsPattern(search)} and ${isCandidate(sql`id`, "tenant", search)})
  or p.id in (select id from payment
    where organization_id = ${db.organizationId} and check_number ilike ${containsPattern(search)} and ${isCandidate(sql`id`, "payment", search)}))`;

/**
 * Condition that the name, description, invoice number or vendor's name of the expense `x` contains the text, in upper or lower case. The
 * entries of old expenses do not follow a new name of their vendor.
 */
export const expenseContains = (db: OrgDb, search: string): RawBuilder<unknown> => {
  const ofVendor = sql`x.vendor_id in (select id from vendor_copy where organization_id = ${db.organizationId} and name ilike ${containsPattern(search)})`;
  return sql`((${isCandidate(sql`x.id`, "expense", search)} or ${ofVendor})
    and concat_ws(' ', x.name, x.description, x.invoice_number, v.name) ilike ${containsPattern(search)})`;
};
