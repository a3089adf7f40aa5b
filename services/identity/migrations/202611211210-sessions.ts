import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Creates sessions with their refresh tokens, and the signing keys of access tokens. */
export class Sessions extends Migration {
  override up(): void {
    this.addSql(`create table session (${orgColumnsSql},
      user_id uuid not null,
      expires_at timestamptz(3) not null,
      revoked_at timestamptz(3),
      constraint session_of_a_user foreign key (organization_id, user_id) references app_user (organization_id, id)
    )`);
    this.addSql(`create index session_by_user on session (organization_id, user_id)`);
    this.addSql(rowLevelSecuritySql("session"));

    this.addSql(`create table refresh_token (${orgColumnsSql},
      session_id uuid not null,
      token_hash text not null,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      constraint refresh_token_of_a_session foreign key (organization_id, session_id) references session (organization_id, id) on delete cascade
    )`);
    this.addSql(`create unique index refresh_token_once on refresh_token (organization_id, token_hash)`);
    this.addSql(`create index refresh_token_by_session on refresh_token (organization_id, session_id)`);
    this.addSql(rowLevelSecuritySql("refresh_token"));

    // All organizations share the keys, so the table has no organization_id.
    this.addSql(`create table signing_key (
      kid text primary key,
      private_key jsonb not null,
      created_at timestamptz(3) not null,
      retires_at timestamptz(3)
    )`);
  }
}
