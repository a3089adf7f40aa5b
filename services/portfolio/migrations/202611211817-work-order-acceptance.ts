import { Migration } from "@mikro-orm/migrations";

/** A vendor says that it will do what was assigned to it. */
export class WorkOrderAcceptance extends Migration {
  override up(): void {
    this.addSql(`alter table work_order add column accepted_at timestamptz(3)`);
  }
}
