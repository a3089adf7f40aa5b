import { Migration } from "@mikro-orm/migrations";

/** The database rejects entries without lines, and reversals whose lines do not cancel the reversed entry, also for the service's role. */
export class GuardedReversals extends Migration {
  override up(): void {
    this.addSql(
      `alter table journal_line add constraint journal_line_on_a_cash_account foreign key (organization_id, cash_account_id) references category (organization_id, id)`,
    );
    this.addSql(`alter table journal_entry add constraint journal_entry_on_a_day check (isfinite(entry_date))`);
    this.addSql(`create or replace function require_lines() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      if not exists (select from journal_line where organization_id = new.organization_id and entry_id = new.id) then
        raise exception 'a journal entry is posted with lines' using errcode = 'check_violation', constraint = 'journal_entry_posted_with_lines';
      end if;
      if new.reverses_id is not null and exists (
          select account_id, cash_account_id, property_id, lease_id, tenant_id, sum(debit_cents), sum(credit_cents) from (
            select account_id, cash_account_id, property_id, lease_id, tenant_id, debit_cents, credit_cents from journal_line
              where organization_id = new.organization_id and entry_id = new.id
            union all select account_id, cash_account_id, property_id, lease_id, tenant_id, -credit_cents, -debit_cents from journal_line
              where organization_id = new.organization_id and entry_id = new.reverses_id) line
          group by 1, 2, 3, 4, 5 having sum(debit_cents) <> 0 or sum(credit_cents) <> 0) then
        raise exception 'a reversal has the lines of its entry with debits and credits exchanged' using errcode = 'check_violation', constraint = 'journal_entry_reverses_its_lines';
      end if;
      return null;
    end $$`);
    this.addSql(`drop trigger journal_entry_has_lines on journal_entry;
    create constraint trigger journal_entry_has_lines after insert or update of status on journal_entry deferrable initially deferred
      for each row when (new.status <> 'draft') execute function require_lines()`);
    this.addSql(`create or replace function refuse_edit_of_posted() returns trigger language plpgsql set search_path = public, pg_temp as $$
    begin
      if old.status <> 'draft' and not (old.status = 'posted' and new.status = 'reversed' and old.reversed_by_id is null
        and exists (select from journal_entry r where r.organization_id = old.organization_id and r.id = new.reversed_by_id and r.reverses_id = old.id)
        and (new.organization_id, new.id, new.memo, new.occurred_at, new.entry_date, new.source, new.source_type, new.source_id, new.debit_total_cents, new.credit_total_cents,
            new.reverses_id, new.moved_from, new.override_reason, new.created_by_user_id, new.created_at)
          is not distinct from (old.organization_id, old.id, old.memo, old.occurred_at, old.entry_date, old.source, old.source_type, old.source_id, old.debit_total_cents,
            old.credit_total_cents, old.reverses_id, old.moved_from, old.override_reason, old.created_by_user_id, old.created_at)) then
        raise exception 'a posted entry never changes: post a reversal' using errcode = 'insufficient_privilege';
      end if;
      return new;
    end $$`);
    this.addSql(`create or replace function require_open_period() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    declare
      closed_date date;
    begin
      -- An older snapshot does not show a close that was committed meanwhile.
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
      return null;
    end $$`);
    this.addSql(`alter table lease_copy add billing_started_as text;
      update lease_copy set billing_started_as = status where billing_started_at is not null`);
  }
}
