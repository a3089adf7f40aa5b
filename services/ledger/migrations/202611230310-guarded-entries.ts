import { Migration } from "@mikro-orm/migrations";

/** The status and the source of an entry are known ones, and no entry is posted without lines. */
export class GuardedEntries extends Migration {
  override up(): void {
    this.addSql(`alter table journal_entry
      add constraint journal_entry_status_known check (status in ('draft', 'posted', 'reversed')),
      add constraint journal_entry_source_known check (source in ('manual', 'charge', 'payment', 'allocation', 'credit', 'refund', 'deposit', 'reversal'))`);
    // Deferred, because an entry is inserted before its lines.
    this.addSql(`create function require_lines() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      if not exists (select from journal_line where organization_id = new.organization_id and entry_id = new.id) then
        raise exception 'a journal entry is posted with lines' using errcode = 'check_violation', constraint = 'journal_entry_posted_with_lines';
      end if;
      return null;
    end $$;
    create constraint trigger journal_entry_has_lines after insert or update of status on journal_entry deferrable initially deferred
      for each row when (new.status = 'posted') execute function require_lines()`);
  }
}
