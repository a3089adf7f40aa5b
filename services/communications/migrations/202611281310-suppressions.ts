import { Migration } from "@mikro-orm/migrations";

/** Lets the suppression of an e-mail address be lifted, with the user and the time. */
export class Suppressions extends Migration {
  override up(): void {
    this.addSql(`alter table suppressed_address
      add column suppressed_at timestamptz(3) not null default now(),
      add column deleted_at timestamptz(3),
      add column deleted_by_user_id uuid,
      add constraint suppressed_address_lifted_at_time check (deleted_by_user_id is null or deleted_at is not null)`);
    this.addSql("set local statement_timeout = 0");
    this.addSql(`alter table suppressed_address no force row level security;
      update suppressed_address set suppressed_at = created_at;
      alter table suppressed_address force row level security`);
    this.addSql("create index suppressed_address_by_time on suppressed_address (organization_id, suppressed_at, id)");
  }
}
