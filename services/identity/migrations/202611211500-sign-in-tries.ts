import { Migration } from "@mikro-orm/migrations";

/** Creates the counters of recent sign-in attempts, which all replicas share. */
export class SignInTries extends Migration {
  override up(): void {
    // The columns are those of rate-limiter-flexible; `expire` is in milliseconds since the epoch.
    this.addSql(`create table sign_in_tries (key varchar(255) primary key, points integer not null default 0, expire bigint)`);
  }
}
