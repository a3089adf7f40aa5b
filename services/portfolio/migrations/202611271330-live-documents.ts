import { Migration } from "@mikro-orm/migrations";

/** Function that returns the id of a document unless the document was deleted, also for a portal user to whom the document is not shared. */
export class LiveDocuments extends Migration {
  override up(): void {
    this.addSql(`create function live_document_id(document_id uuid) returns uuid language sql stable parallel safe security definer set search_path = public, pg_temp as $$
      select d.id from document d where d.organization_id = current_organization() and d.id = document_id and d.deleted_at is null $$`);
  }
}
