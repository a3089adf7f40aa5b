import { Migration } from "@mikro-orm/migrations";

/** A management fee names the day whose owners bear it. Without a day, an expense is borne by the owners of the day on which it was incurred. */
export class OwnersOfFees extends Migration {
  override up(): void {
    this.addSql(`alter table expense add column owned_on date`);
  }
}
