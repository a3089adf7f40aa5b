import { Migration } from "@mikro-orm/migrations";

/** Adds the proof that a user owns the e-mail address for sign-in, so that accounts without one never displace others. */
export class ProofsOfAddresses extends Migration {
  override up(): void {
    this.addSql(`alter table sign_in_address add column proof text not null default 'none',
      add constraint sign_in_address_proof_known check (proof in ('none', 'invite', 'mail'))`);
    this.addSql(`alter table app_user no force row level security;
      alter table user_invite no force row level security;
      update sign_in_address a set proof = case when u.subject_id is not null or exists (
          select from user_invite i where i.organization_id = u.organization_id and i.user_id = u.id and i.accepted_at is not null)
        then 'invite' else 'mail' end
        from app_user u where u.organization_id = a.organization_id and u.id = a.user_id and u.email_confirmed_at is not null;
      alter table user_invite force row level security;
      alter table app_user force row level security`);
  }
}
