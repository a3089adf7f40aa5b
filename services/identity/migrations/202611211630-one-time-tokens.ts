import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Creates the table of the single-use tokens in e-mailed links that reset a password or confirm an e-mail address. Only the digest of a token is stored. */
export class OneTimeTokens extends Migration {
  override up(): void {
    this.addSql(`create table one_time_token (${orgColumnsSql},
      user_id uuid not null,
      purpose text not null,
      token_hash text not null,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      constraint one_time_token_of_a_user foreign key (organization_id, user_id) references app_user (organization_id, id),
      constraint one_time_token_purpose_known check (purpose in ('password_reset', 'email_confirmation'))
    )`);
    this.addSql(`create unique index one_time_token_once on one_time_token (organization_id, token_hash)`);
    this.addSql(`create index one_time_token_by_user on one_time_token (organization_id, user_id)`);
    this.addSql(rowLevelSecuritySql("one_time_token"));
  }
}
