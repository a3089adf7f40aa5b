import { Migration } from "@mikro-orm/migrations";

/**
 * The projection of an ended lease has the move-out of its tenants, and a security deposit follows it until the office sets another day. The move-out
 * of a deposit that differs from the end of its expired lease, or whose lease runs, was set by the office.
 */
export class FollowedMoveOuts extends Migration {
  override up(): void {
    this.addSql("set local statement_timeout = 0");
    this.addSql("alter table lease_copy add column moved_out_on date null");
    this.addSql("alter table security_deposit add column is_move_out_by_office boolean not null default false");
    this.addSql("alter table security_deposit no force row level security");
    this.addSql("alter table lease_copy no force row level security");
    this.addSql(`update security_deposit d set is_move_out_by_office = true from lease_copy l
      where l.organization_id = d.organization_id and l.id = d.lease_id and d.move_out_date is not null
        and (l.status not in ('expired', 'terminated') or (l.status = 'expired' and d.move_out_date is distinct from l.end_date))`);
    this.addSql("update lease_copy set moved_out_on = end_date where status = 'expired'");
    this.addSql("alter table lease_copy force row level security");
    this.addSql("alter table security_deposit force row level security");
  }
}
