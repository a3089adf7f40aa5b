import { Migration } from "@mikro-orm/migrations";

/** First day of billing of a lease that another system billed before. */
export class LeaseBillFrom extends Migration {
  override up(): void {
    this.addSql(`alter table lease add column bill_from date`);
  }
}
