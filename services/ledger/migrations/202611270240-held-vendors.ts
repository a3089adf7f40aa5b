import { Migration } from "@mikro-orm/migrations";

/** Postings are held on vendors too, so that none with an unpaid expense is deleted; and lines of the management company are found by an index. */
export class HeldVendors extends Migration {
  override up(): void {
    this.addSql(`create index journal_line_without_property on journal_line (organization_id, cash_account_id) where property_id is null`);
    this.addSql(`create or replace function require_postable_lines() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    declare
      closed_date date;
    begin
      -- An older snapshot does not show a close or a hold that was committed meanwhile.
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'entries are posted by transactions that read committed rows' using errcode = 'serialization_failure', constraint = 'accounting_period_open';
      end if;
      -- In the order of the organizations, so that two transactions that post for several cannot deadlock.
      perform pg_advisory_xact_lock_shared(period_lock_key(organization_id)) from (select distinct organization_id from added order by 1) posted;
      select first_date into closed_date from (select organization_id, min(entry_date) as first_date from added group by 1) posted
        where first_date < first_open_day(organization_id) limit 1;
      if closed_date is not null then
        raise exception 'the accounting period of % is closed', closed_date using errcode = 'serialization_failure', constraint = 'accounting_period_open';
      end if;
      if exists (select from posting_hold) and exists (select from posting_hold hold join added line on line.organization_id = hold.organization_id
          and hold.record_id in (line.lease_id, line.tenant_id, line.property_id, line.owner_id, line.vendor_id) where hold.held_until > clock_timestamp()) then
        raise exception 'postings on a record of the entry are held' using errcode = 'check_violation', constraint = 'postings_not_held';
      end if;
      return null;
    end $$`);
  }
}
