import { Migration } from "@mikro-orm/migrations";

/** How often somebody has lately tried to sign in, counted for all replicas. */
export class SignInTries extends Migration {
  override up(): void {
    // Its columns are what rate-limiter-flexible reads and writes; `expire` is in milliseconds of the epoch.
    this.addSql(`create table sign_in_tries (key varchar(255) primary key, points integer not null default 0, expire bigint)`);
  }
}
