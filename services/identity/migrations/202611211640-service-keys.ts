import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Creates service keys: API credentials of programs for one organization. */
export class ServiceKeys extends Migration {
  override up(): void {
    this.addSql(`create table service_key (${orgColumnsSql},
      name text not null,
      role text not null,
      is_read_only boolean not null,
      scopes jsonb,
      secret_hash text not null,
      last_used_at timestamptz(3),
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      created_by_user_id uuid,
      constraint service_key_role_known check (role in ('manager', 'staff'))
    )`);
    this.addSql(rowLevelSecuritySql("service_key"));
  }
}
