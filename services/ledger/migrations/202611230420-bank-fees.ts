import { Migration } from "@mikro-orm/migrations";

/** The bank's fee for a returned payment is an entry of its own source, which can be reversed by itself. */
export class BankFees extends Migration {
  override up(): void {
    this.addSql(`alter table journal_entry drop constraint journal_entry_source_known,
      add constraint journal_entry_source_known
        check (source in ('manual', 'charge', 'payment', 'allocation', 'credit', 'refund', 'deposit', 'bank_fee', 'reversal'))`);
    this.addSql(`alter table journal_entry no force row level security, disable trigger user`);
    this.addSql(`alter table payment no force row level security`);
    this.addSql(`update journal_entry e set source = 'bank_fee' from payment p
      where p.organization_id = e.organization_id and p.id = e.source_id and e.source_type = 'payment' and e.source = 'payment' and e.id <> p.entry_id`);
    this.addSql(`alter table payment force row level security`);
    this.addSql(`alter table journal_entry force row level security, enable trigger user`);
  }
}
