import { Migration } from "@mikro-orm/migrations";

/** Adds the time at which the expiry of an invite was published, so that each expiry is published once. */
export class InviteExpiry extends Migration {
  override up(): void {
    this.addSql(`alter table invite add expiry_announced_at timestamptz(3)`);
    this.addSql(`create index invite_running_out on invite (organization_id, expires_at) where status = 'pending' and expiry_announced_at is null`);
    this.addSql(`alter table invite no force row level security;
      insert into scheduled_work (job, organization_id, next_run_at)
        select distinct 'expireInvites', organization_id, now() from invite where status = 'pending' on conflict do nothing;
      alter table invite force row level security`);
  }
}
