import { Migration } from "@mikro-orm/migrations";

/**
 * A tenant sees all lines of own payments, also those on a lease that the tenant has left: whoever pays what is open on it, or whose payment is
 * returned afterwards, finds that in the own ledger.
 */
export class OwnPaymentsOnLeftLeases extends Migration {
  override up(): void {
    this.addSql(`alter policy portal_reach on journal_line using ((select is_office())
      or (portal_role() = 'tenant' and exists (select from portal_reached() reached where reached.id = lease_id and entry_date < reached.before))
      or (portal_role() = 'tenant' and exists (select from payment r where r.organization_id = journal_line.organization_id
        and r.id = journal_line.payment_id and (journal_line.lease_id is null or r.tenant_id = portal_subject())))
      or (portal_role() = 'owner' and property_id in (select id from portal_reached()) and (owner_id is null or owner_id = portal_subject())))`);
  }
}
