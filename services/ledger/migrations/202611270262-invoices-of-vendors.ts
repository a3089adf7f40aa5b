import { Migration } from "@mikro-orm/migrations";

/** Invoices that vendors submit have lines and documents. */
export class InvoicesOfVendors extends Migration {
  override up(): void {
    this.addSql("alter table expense add column lines jsonb not null default '[]', add column document_ids uuid[] not null default '{}'");
  }
}
