import { Migration } from "@mikro-orm/migrations";

/** Removes the addresses for sign-in of invited users, who have no password yet, so that pending invites never displace an account. */
export class AddressesOfUsersWithAPassword extends Migration {
  override up(): void {
    this.addSql(`alter table app_user no force row level security;
      delete from sign_in_address a using app_user u where u.organization_id = a.organization_id and u.id = a.user_id and u.password_hash is null;
      alter table app_user force row level security`);
  }
}
