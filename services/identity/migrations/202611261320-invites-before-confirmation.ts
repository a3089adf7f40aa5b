import { Migration } from "@mikro-orm/migrations";

/** Adds the time at which an admin of an organization confirmed an e-mail address, and the number of invites before. */
export class InvitesBeforeConfirmation extends Migration {
  override up(): void {
    this.addSql(`alter table organization add column confirmed_at timestamptz(3), add column invites_before_confirmation int not null default 0`);
    this.addSql(`alter table organization no force row level security;
      alter table app_user no force row level security;
      update organization o set confirmed_at = (select min(u.email_confirmed_at) from app_user u
        where u.organization_id = o.organization_id and u.role = 'admin' and u.deleted_at is null);
      alter table app_user force row level security;
      alter table organization force row level security`);
  }
}
