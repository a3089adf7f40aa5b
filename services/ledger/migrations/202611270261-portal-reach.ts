import { portalReachSql, type PortalReach } from "@freehold/kit/db/portal-reach";
import { Migration } from "@mikro-orm/migrations";

const isSubject = (role: string, column: string): string => `portal_role() = '${role}' and ${column} = portal_subject()`;
/** Condition that a row of a lease is in reach: dated before the day on which the tenant was released. */
const ofLease = (column: string, day: string): string =>
  `portal_role() = 'tenant' and exists (select from portal_reached() reached where reached.id = ${column} and ${day} < reached.before)`;
/** Condition that a row is of a lease from which the tenant was not released. */
const ofCurrentLease = (column: string): string =>
  `portal_role() = 'tenant' and exists (select from portal_reached() reached where reached.id = ${column} and reached.before = 'infinity')`;
const ofProperty = (column: string): string => `portal_role() = 'owner' and ${column} in (select id from portal_reached())`;
const ofOwner = "(owner_id is null or owner_id = portal_subject())";
/** Condition that a row of another table with the same organization is in the reach of the portal user, whose policy applies to the subquery. */
const reaches = (table: string, own: string, column: string, other = "id"): string =>
  `exists (select from ${table} r where r.organization_id = ${own}.organization_id and r.${other} = ${own}.${column})`;

const receiptDay = "(received_at at time zone split_part(current_setting('app.portal_user', true), ':', 5))::date";

const tables: Record<string, PortalReach> = {
  // A vendor sees the own invoices and the payments that have left; an owner the expenses that the own properties bear for all owners or for this one.
  expense: { reads: `(${isSubject("vendor", "vendor_id")}) or (${ofProperty("property_id")} and ${ofOwner})` },
  expense_payment: { reads: `${isSubject("vendor", "vendor_id")} and status = 'issued'` },
  expense_allocation: {
    reads: `${reaches("expense_payment", "expense_allocation", "expense_payment_id")} and ${reaches("expense", "expense_allocation", "expense_id")}`,
  },
  // A tenant sees what is dated before a release from the lease, and all own payments.
  // Charges of deposits and credit follow their tenancy to a renewal with other tenants.
  charge: { reads: `(${ofLease("lease_id", "due_date")}) or (${ofCurrentLease("deposit_lease_id")}) or (${ofProperty("property_id")})` },
  charge_credit: { reads: reaches("charge", "charge_credit", "charge_id") },
  payment: { reads: `(${isSubject("tenant", "tenant_id")}) or (${ofLease("lease_id", receiptDay)}) or (${ofCurrentLease("credit_lease_id")})` },
  payment_allocation: {
    reads: `portal_role() = 'tenant' and (${reaches("charge", "payment_allocation", "charge_id")} or ${reaches("payment", "payment_allocation", "payment_id")})`,
  },
  journal_line: {
    reads: `(${ofLease("lease_id", "entry_date")}) or (portal_role() = 'tenant' and lease_id is null and ${reaches("payment", "journal_line", "payment_id")})
      or (${ofProperty("property_id")} and ${ofOwner})`,
  },
  journal_entry: { reads: reaches("journal_line", "journal_entry", "id", "entry_id") },
  // A deposit has no date: a released tenant sees none.
  security_deposit: { reads: ofCurrentLease("lease_id") },
  security_deposit_charge: { reads: reaches("security_deposit", "security_deposit_charge", "security_deposit_id") },
  security_deposit_deduction: { reads: reaches("security_deposit", "security_deposit_deduction", "security_deposit_id") },
  security_deposit_transaction: { reads: reaches("security_deposit", "security_deposit_transaction", "security_deposit_id") },
  owner_statement: { reads: isSubject("owner", "owner_id") },
  owner_payable: { reads: `${isSubject("owner", "owner_id")} and paid_at is not null` },
  category: { reads: "portal_role() = 'owner' and portal_subject() is not null" },
  // Names of the reached records.
  lease_copy: { reads: `(portal_role() = 'tenant' and id in (select id from portal_reached())) or (${ofProperty("property_id")})` },
  property_copy: { reads: `(portal_role() = 'tenant' and ${reaches("lease_copy", "property_copy", "id", "property_id")}) or (${ofProperty("id")})` },
  unit_copy: { reads: `(portal_role() = 'tenant' and ${reaches("lease_copy", "unit_copy", "id", "unit_id")}) or (${ofProperty("property_id")})` },
  tenant_copy: {
    reads: `(portal_role() = 'tenant' and (id = portal_subject() or ${reaches("payment", "tenant_copy", "id", "tenant_id")}))
      or (portal_role() = 'owner' and ${reaches("lease_copy", "tenant_copy", "id", "tenant_id")})`,
  },
};

/**
 * Reach of tenants, owners and vendors. Portfolio tells which leases a tenant and which properties an owner reaches; the setting of the
 * portal user names them, each with the day from which on it is out of reach, if there is one.
 */
export class PortalReachOfLedger extends Migration {
  override up(): void {
    this.addSql(`create function portal_reached() returns table (id uuid, before date) language sql stable parallel safe cost 1 rows 10 as $$
      select split_part(record, '@', 1)::uuid, coalesce(nullif(split_part(record, '@', 2), ''), 'infinity')::date
      from unnest(string_to_array(nullif(split_part(current_setting('app.portal_user', true), ':', 6), ''), ',')) as record $$`);
    for (const [table, reach] of Object.entries(tables)) this.addSql(portalReachSql(table, reach));
  }
}
