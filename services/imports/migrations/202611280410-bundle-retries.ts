import { Migration } from "@mikro-orm/migrations";

/** Adds the retries of a bundle whose job failed: the time of the next attempt, until which its job skips the bundle, and the number of unexpected failures at its cursor. */
export class BundleRetries extends Migration {
  override up(): void {
    this.addSql("alter table import_bundle add column retry_at timestamptz(3), add column failures int not null default 0");
  }
}
