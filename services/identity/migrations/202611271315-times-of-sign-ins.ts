import { Migration } from "@mikro-orm/migrations";

/** Adds the time of the last sign-in to addresses, by which those of an address that many organizations invite are chosen. */
export class TimesOfSignIns extends Migration {
  override up(): void {
    this.addSql(`alter table sign_in_address add column signed_in_at timestamptz(3)`);
    this.addSql(`alter table app_user no force row level security;
      update sign_in_address a set signed_in_at = u.last_login_at from app_user u where u.organization_id = a.organization_id and u.id = a.user_id;
      alter table app_user force row level security`);
  }
}
