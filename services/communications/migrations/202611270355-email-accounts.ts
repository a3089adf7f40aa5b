import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Creates the table of e-mail accounts, and lets a message name the account that sends it. */
export class EmailAccounts extends Migration {
  override up(): void {
    this.addSql(`create table email_account (
      ${orgColumnsSql},
      address text not null,
      display_name text,
      kind text not null,
      status text not null,
      is_default boolean not null,
      reply_to text,
      integration_id uuid,
      dns_records jsonb not null,
      inbound_address text not null,
      last_checked_at timestamptz(3),
      dkim_selector text,
      dkim_key_sealed bytea,
      code_hash text,
      code_sent_at timestamptz(3),
      code_attempts int not null,
      deleted_at timestamptz(3),
      constraint email_account_kind_known check (kind in ('domain', 'forwarding', 'mailbox')),
      constraint email_account_status_known check (status in ('pending', 'verified', 'failed', 'disabled')),
      constraint email_account_address_lower_case check (address = lower(address)),
      constraint email_account_dkim_whole check ((dkim_selector is null) = (dkim_key_sealed is null))
    )`);
    this.addSql("create unique index email_account_address_once on email_account (organization_id, address) where deleted_at is null");
    this.addSql("create unique index email_account_one_default on email_account (organization_id) where is_default and deleted_at is null");
    this.addSql("create unique index email_account_inbound_once on email_account (organization_id, inbound_address)");
    this.addSql(rowLevelSecuritySql("email_account"));
    this.addSql("alter table message add column email_account_id uuid");
  }
}
