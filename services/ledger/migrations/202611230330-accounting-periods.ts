import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/**
 * Accounting periods. Months close in order, so two dates of the organization decide: nothing is posted up to `closed_through`,
 * and up to `soft_closed_through` only with the setting `app.period_override` of the transaction. Postings hold a shared lock
 * until they commit and closing takes the exclusive one, so a close waits for open postings and all later ones see it. A
 * posting that meets a closed period fails like a serialization conflict and is repeated with a later date.
 */
export class AccountingPeriods extends Migration {
  override up(): void {
    this.addSql(`create table accounting_period (${orgColumnsSql},
      start_date date not null,
      end_date date not null,
      status text not null,
      note text,
      closed_at timestamptz(3),
      closed_by_user_id uuid,
      reopened_at timestamptz(3),
      reopen_reason text,
      constraint accounting_period_status_known check (status in ('open', 'soft_closed', 'closed')),
      constraint accounting_period_is_a_month check (start_date = date_trunc('month', start_date)::date and end_date = (start_date + interval '1 month - 1 day')::date)
    );
    create unique index accounting_period_once on accounting_period (organization_id, start_date);
    ${rowLevelSecuritySql("accounting_period")}`);
    this.addSql(`alter table book add closed_through date, add soft_closed_through date,
      add constraint book_closed_is_soft_closed check (closed_through is null or (soft_closed_through is not null and soft_closed_through >= closed_through))`);
    this.addSql(`alter table journal_entry add moved_from date, add override_reason text, add constraint journal_entry_moved_later check (moved_from < entry_date);
      create index journal_entry_moved on journal_entry (organization_id, moved_from) where moved_from is not null`);
    this.addSql(`create function period_lock_key(organization uuid) returns bigint language sql immutable as $$
      select hashtextextended(organization::text || ' periods', 0) $$;
    create function first_open_day(organization uuid) returns date language sql stable as $$
      select coalesce(max(case when nullif(current_setting('app.period_override', true), '') is null then soft_closed_through else closed_through end) + 1, '-infinity')
      from book where organization_id = organization $$`);
    this.addSql(`create function require_open_period() returns trigger language plpgsql security definer set search_path = public as $$
    declare
      organization uuid;
      first_date date;
    begin
      select organization_id, min(entry_date) into organization, first_date from added group by 1;
      if organization is null then return null; end if;
      perform pg_advisory_xact_lock_shared(period_lock_key(organization));
      if first_date < first_open_day(organization) then
        raise exception 'the accounting period of % is closed', first_date using errcode = 'serialization_failure', constraint = 'accounting_period_open';
      end if;
      return null;
    end $$;
    create trigger accounting_period_open after insert on journal_line referencing new table as added for each statement execute function require_open_period()`);
    this.addSql(`create or replace function refuse_edit_of_posted() returns trigger language plpgsql as $$
    begin
      if old.status <> 'draft' and not (old.status = 'posted' and new.status = 'reversed' and new.reversed_by_id is not null and old.reversed_by_id is null
        and (new.organization_id, new.id, new.memo, new.occurred_at, new.entry_date, new.source, new.source_type, new.source_id, new.debit_total_cents, new.credit_total_cents,
            new.reverses_id, new.moved_from, new.override_reason, new.created_by_user_id, new.created_at)
          is not distinct from (old.organization_id, old.id, old.memo, old.occurred_at, old.entry_date, old.source, old.source_type, old.source_id, old.debit_total_cents,
            old.credit_total_cents, old.reverses_id, old.moved_from, old.override_reason, old.created_by_user_id, old.created_at)) then
        raise exception 'a posted entry never changes: post a reversal' using errcode = 'insufficient_privilege';
      end if;
      return new;
    end $$`);
  }
}
