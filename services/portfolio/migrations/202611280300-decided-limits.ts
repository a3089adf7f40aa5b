import { Migration } from "@mikro-orm/migrations";

/** Estimates that were decided before keep the maintenance limit that their property has now. */
export class DecidedLimits extends Migration {
  override up(): void {
    this.addSql("set local statement_timeout = 0");
    this.addSql("alter table work_order_estimate add column decided_limit_cents bigint");
    this.addSql("alter table work_order_estimate no force row level security");
    this.addSql("alter table work_order no force row level security");
    this.addSql("alter table property no force row level security");
    this.addSql(`update work_order_estimate e set decided_limit_cents = p.maintenance_limit_cents
      from work_order w join property p on p.organization_id = w.organization_id and p.id = w.property_id
      where w.organization_id = e.organization_id and w.id = e.work_order_id and e.decided_at is not null`);
    this.addSql("alter table property force row level security");
    this.addSql("alter table work_order force row level security");
    this.addSql("alter table work_order_estimate force row level security");
  }
}
