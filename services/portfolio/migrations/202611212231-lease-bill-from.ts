import { Migration } from "@mikro-orm/migrations";

/** Adds the first day that this system bills of a lease that another system billed before. */
export class LeaseBillFrom extends Migration {
  override up(): void {
    this.addSql(`alter table lease add column bill_from date`);
  }
}
