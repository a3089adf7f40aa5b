import { rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Creates the activity feeds: one row per event and subject. The primary key serves reads of a subject's newest rows in order. */
export class ActivityTable extends Migration {
  override up(): void {
    this.addSql(`create table activity (
      organization_id uuid not null,
      subject_id uuid not null,
      occurred_at timestamptz(3) not null,
      id uuid not null,
      type text not null,
      entity_type text not null,
      entity_id uuid not null,
      property_id uuid,
      lease_id uuid,
      tenant_id uuid,
      actor_user_id uuid,
      detail text,
      primary key (organization_id, subject_id, occurred_at, id)
    );
    create index activity_by_age on activity (organization_id, occurred_at);
    ${rowLevelSecuritySql("activity")}`);
  }
}
