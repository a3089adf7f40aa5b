import { Migration } from "@mikro-orm/migrations";

/** What a dashboard counts of an organization with tens of thousands of units, it finds in indexes alone. */
export class DashboardIndexes extends Migration {
  override up(): void {
    this.addSql(
      `create index work_order_unfinished on work_order (organization_id, property_id) include (status, due_on, requested_at) where status in ('open', 'in_progress')`,
    );
  }
}
