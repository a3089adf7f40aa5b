import { Migration } from "@mikro-orm/migrations";

const tables = ["category", "charge", "payment", "payment_allocation", "journal_entry", "journal_line"];
const forEachTable = (statementFor: (table: string) => string): string => tables.map(statementFor).join("; ");

/**
 * Adds the document that each journal entry records, and the charge, payment, vendor, bank account and security deposit of a
 * line. Existing entries of charges and payments get their document, and their lines the charge or payment. A line that settles
 * a charge gets the charge of the allocation with its amount.
 */
export class Documents extends Migration {
  override up(): void {
    this.addSql(`alter table journal_entry add source_type text, add source_id uuid,
        add constraint journal_entry_of_a_document check ((source_type is null) = (source_id is null));
      create index journal_entry_by_source on journal_entry (organization_id, source_id) where source_id is not null;
      alter table journal_line add vendor_id uuid, add bank_account_id uuid, add charge_id uuid, add payment_id uuid, add deposit_id uuid`);
    this.addSql(forEachTable((table) => `alter table ${table} no force row level security`));
    this.addSql(forEachTable((table) => `alter table ${table} disable trigger user`));
    this.addSql(`create temporary table documented on commit drop as
      select organization_id, entry_id, 'charge' as source_type, id as source_id from charge
      union select organization_id, entry_id, 'payment', id from payment
      union select organization_id, entry_id, 'payment', payment_id from payment_allocation`);
    this.addSql(`insert into documented select e.organization_id, e.id, d.source_type, d.source_id
      from journal_entry e join documented d on d.organization_id = e.organization_id and d.entry_id = e.reverses_id`);
    this.addSql(`update journal_entry e set source_type = d.source_type, source_id = d.source_id
      from documented d where e.organization_id = d.organization_id and e.id = d.entry_id`);
    this.addSql(`update journal_line l set charge_id = case d.source_type when 'charge' then d.source_id end, payment_id = case d.source_type when 'payment' then d.source_id end
      from documented d where l.organization_id = d.organization_id and l.entry_id = d.entry_id`);
    this.addSql(`update journal_line l set charge_id = settled.charge_id from (
      select line.organization_id, line.id, allocated.charge_id from (
        select l.organization_id, l.id, coalesce(e.reverses_id, e.id) as entry_id, l.lease_id, abs(l.debit_cents - l.credit_cents) as amount_cents,
          row_number() over (partition by l.organization_id, l.entry_id, l.account_id, l.lease_id, l.debit_cents, l.credit_cents order by l.id) as place
        from journal_line l join journal_entry e on e.organization_id = l.organization_id and e.id = l.entry_id
          join category k on k.organization_id = l.organization_id and k.id = l.account_id
        where e.source_type = 'payment' and k.code in ('1100', '2100', '2110')) line
      join (select a.organization_id, a.entry_id, a.charge_id, c.lease_id, a.amount_cents,
          row_number() over (partition by a.organization_id, a.entry_id, c.lease_id, a.amount_cents order by a.id) as place
        from payment_allocation a join charge c on c.organization_id = a.organization_id and c.id = a.charge_id) allocated
      on allocated.organization_id = line.organization_id and allocated.entry_id = line.entry_id and allocated.lease_id = line.lease_id
        and allocated.amount_cents = line.amount_cents and allocated.place = line.place) settled
      where l.organization_id = settled.organization_id and l.id = settled.id`);
    this.addSql(forEachTable((table) => `alter table ${table} enable trigger user`));
    this.addSql(forEachTable((table) => `alter table ${table} force row level security`));
  }
}
