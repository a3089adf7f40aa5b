import { Migration } from "@mikro-orm/migrations";

/**
 * Adds a function that deletes audit log entries after their retention period of at least a year, and schedules the job that
 * calls it for every organization. The service cannot delete entries in any other way.
 */
export class AuditLogRetention extends Migration {
  override up(): void {
    this.addSql(`create function forget_audit_entries(kept_days int, at_most int) returns int language plpgsql security definer set search_path = public as $$
    declare
      organization uuid := nullif(current_setting('app.organization_id', true), '')::uuid;
      gone int;
    begin
      if kept_days < 365 then
        raise exception 'the audit log is kept for a year at least' using errcode = 'insufficient_privilege';
      end if;
      delete from audit_entry where organization_id = organization and id in (
        select e.id from audit_entry e where e.organization_id = organization and e.occurred_at < now() - make_interval(days => kept_days)
        order by e.occurred_at limit at_most);
      get diagnostics gone = row_count;
      return gone;
    end $$`);
    this.addSql(`alter table organization no force row level security;
      insert into scheduled_work (job, organization_id, next_run_at) select 'forgetAuditEntries', organization_id, now() from organization on conflict do nothing;
      alter table organization force row level security`);
  }
}
