import { Migration } from "@mikro-orm/migrations";

/** A lease that was billed in another system until a day. */
export class LeaseBillFrom extends Migration {
  override up(): void {
    this.addSql(`alter table lease add column bill_from date`);
  }
}
