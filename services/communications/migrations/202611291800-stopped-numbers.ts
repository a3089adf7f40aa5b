import { Migration } from "@mikro-orm/migrations";

/** Adds the phone numbers that have stopped text messages with STOP, for all organizations, since they share the number that sends. */
export class StoppedNumbers extends Migration {
  override up(): void {
    this.addSql(`create table stopped_number (
      phone text not null primary key,
      stopped_at timestamptz(3) not null,
      ended_at timestamptz(3)
    )`);
    this.addSql(`alter table sms_opt_out no force row level security;
      insert into stopped_number (phone, stopped_at) select phone, max(updated_at) from sms_opt_out where ended_at is null group by phone;
      alter table sms_opt_out force row level security`);
  }
}
