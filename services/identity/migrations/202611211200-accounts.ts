import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Creates organizations, users, the invites of office users, and the e-mail addresses for sign-in. */
export class Accounts extends Migration {
  override up(): void {
    this.addSql(`create table organization (${orgColumnsSql},
      name text not null,
      slug text not null,
      timezone text not null,
      locale text not null,
      address_line1 text,
      address_line2 text,
      city text,
      state text,
      postal_code text,
      phone text,
      email text,
      logo_document_id uuid,
      fiscal_year_start_month int not null,
      default_basis text not null,
      policies jsonb not null,
      onboarding_completed_at timestamptz(3),
      constraint organization_is_its_own check (organization_id = id),
      constraint organization_fiscal_year_starts_in_a_month check (fiscal_year_start_month between 1 and 12),
      constraint organization_basis_known check (default_basis in ('accrual', 'cash'))
    )`);
    // Unique across organizations, so without organization_id.
    this.addSql(`create unique index organization_slug_once on organization (slug)`);
    this.addSql(rowLevelSecuritySql("organization"));

    this.addSql(`create table app_user (${orgColumnsSql},
      email text not null,
      full_name text not null,
      phone text,
      role text not null,
      subject_id uuid,
      is_active boolean not null,
      password_hash text,
      email_confirmed_at timestamptz(3),
      onboarding_completed_at timestamptz(3),
      locale text not null,
      sms_consent_granted boolean not null,
      sms_consent_at timestamptz(3),
      email_consent_granted boolean not null,
      email_consent_at timestamptz(3),
      last_login_at timestamptz(3),
      deleted_at timestamptz(3),
      constraint app_user_role_known check (role in ('admin', 'manager', 'staff', 'tenant', 'owner', 'vendor')),
      constraint app_user_of_a_portal_has_a_subject check ((role in ('tenant', 'owner', 'vendor')) = (subject_id is not null)),
      constraint app_user_email_lower_case check (email = lower(email))
    )`);
    this.addSql(`create unique index app_user_email_once on app_user (organization_id, email) where deleted_at is null`);
    this.addSql(`create unique index app_user_subject_once on app_user (organization_id, subject_id) where deleted_at is null`);
    this.addSql(rowLevelSecuritySql("app_user"));

    this.addSql(`create table user_invite (${orgColumnsSql},
      user_id uuid not null,
      expires_at timestamptz(3) not null,
      accepted_at timestamptz(3),
      revoked_at timestamptz(3),
      created_by_user_id uuid,
      constraint user_invite_of_a_user foreign key (organization_id, user_id) references app_user (organization_id, id)
    )`);
    this.addSql(`create index user_invite_by_user on user_invite (organization_id, user_id)`);
    this.addSql(rowLevelSecuritySql("user_invite"));

    // A sign-in starts with an e-mail address and without an organization, so this table has no row-level security. It contains
    // only the addresses and the ids of their users and organizations.
    this.addSql(`create table sign_in_address (
      email text not null,
      organization_id uuid not null,
      user_id uuid not null,
      primary key (email, organization_id),
      constraint sign_in_address_of_a_user foreign key (organization_id, user_id) references app_user (organization_id, id)
    )`);
    this.addSql(`create index sign_in_address_by_user on sign_in_address (organization_id, user_id)`);
  }
}
