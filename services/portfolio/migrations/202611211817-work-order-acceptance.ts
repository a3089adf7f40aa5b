import { Migration } from "@mikro-orm/migrations";

/** Acceptance of work orders by vendors. */
export class WorkOrderAcceptance extends Migration {
  override up(): void {
    this.addSql(`alter table work_order add column accepted_at timestamptz(3)`);
  }
}
