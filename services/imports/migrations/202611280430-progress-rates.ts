import { Migration } from "@mikro-orm/migrations";

/** Adds the speed of a bundle's job, in steps per second, with the time and the number of steps at which it was measured last. */
export class ProgressRates extends Migration {
  override up(): void {
    this.addSql("alter table import_bundle add column rate double precision, add column rated_at timestamptz(3), add column rated_steps int");
  }
}
