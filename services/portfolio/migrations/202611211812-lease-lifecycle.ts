import { Migration } from "@mikro-orm/migrations";

/**
 * Adds `own_end_date`, the end date of a lease before a renewal superseded it, and schedules the job `expireLeases` for
 * organizations with pending or active leases.
 */
export class LeaseLifecycle extends Migration {
  override up(): void {
    this.addSql(`alter table lease add column own_end_date date`);
    this.addSql(`alter table lease no force row level security;
    update lease set own_end_date = end_date where superseded_from is not null;
    insert into scheduled_work (job, organization_id, next_run_at) select distinct 'expireLeases', organization_id, now() from lease where status in ('pending', 'active')
      on conflict do nothing;
    alter table lease force row level security`);
    this.addSql(
      `create index lease_running_out on lease (organization_id, end_date) where status = 'active' and term_type <> 'month_to_month' and deleted_at is null`,
    );
  }
}
