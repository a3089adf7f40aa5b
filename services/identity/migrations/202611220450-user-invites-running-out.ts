import { Migration } from "@mikro-orm/migrations";

/** The expiry of an office user's invite is published once. */
export class UserInvitesRunningOut extends Migration {
  override up(): void {
    this.addSql(`alter table user_invite add expiry_announced_at timestamptz(3)`);
    this.addSql(`create index user_invite_running_out on user_invite (organization_id, expires_at)
      where accepted_at is null and revoked_at is null and expiry_announced_at is null`);
    this.addSql(`alter table user_invite no force row level security;
      insert into scheduled_work (job, organization_id, next_run_at)
        select distinct 'expireUserInvites', organization_id, now() from user_invite where accepted_at is null and revoked_at is null on conflict do nothing;
      alter table user_invite force row level security`);
  }
}
