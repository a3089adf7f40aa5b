import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Metadata of documents, the storage used by each organization, and soft deletion of notes. */
export class Documents extends Migration {
  override up(): void {
    this.addSql(`create table document (${orgColumnsSql},
      entity_type text not null,
      entity_id uuid not null,
      title text not null,
      file_name text not null,
      content_type text not null,
      size_bytes bigint not null,
      sha256 text not null,
      category text not null,
      visibility text not null,
      uploaded_by_user_id uuid,
      deleted_at timestamptz(3),
      constraint document_has_bytes check (size_bytes >= 1)
    )`);
    this.addSql(`create index document_by_entity on document (organization_id, entity_id, created_at)`);
    this.addSql(`create index document_by_creation on document (organization_id, created_at)`);
    this.addSql(`create index document_by_title on document (organization_id, title)`);
    this.addSql(`create index document_by_change on document (organization_id, updated_at)`);
    this.addSql(`create table document_usage (
      organization_id uuid not null primary key,
      size_bytes bigint not null,
      constraint document_usage_not_negative check (size_bytes >= 0)
    )`);
    for (const table of ["document", "document_usage"]) this.addSql(rowLevelSecuritySql(table));
    this.addSql(`alter table note add column deleted_at timestamptz(3)`);
  }
}
