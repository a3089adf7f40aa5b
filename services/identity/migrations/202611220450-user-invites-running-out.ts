import { Migration } from "@mikro-orm/migrations";

/** Adds the time at which the expiry of an office user's invite was published, and schedules the job that publishes it. */
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
