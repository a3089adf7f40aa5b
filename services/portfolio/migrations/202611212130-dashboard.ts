import { Migration } from "@mikro-orm/migrations";

/** Covering index for the work order counts of the dashboard. */
export class DashboardIndexes extends Migration {
  override up(): void {
    this.addSql(
      `create index work_order_unfinished on work_order (organization_id, property_id) include (status, due_on, requested_at) where status in ('open', 'in_progress')`,
    );
  }
}
