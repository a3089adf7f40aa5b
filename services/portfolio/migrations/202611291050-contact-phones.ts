import { Migration } from "@mikro-orm/migrations";

const tables = ["tenant", "vendor", "owner"];
const digitsOf = (phone: string) => `right(regexp_replace(${phone}, '\\D', '', 'g'), 10)`;

/** The organizations of each phone number, to which STOP and START are delivered: they share the number that sends. */
export class ContactPhones extends Migration {
  override up(): void {
    this.addSql("set local statement_timeout = 0");
    this.addSql("create table contact_phone (digits text not null, organization_id uuid not null, primary key (digits, organization_id))");
    this.addSql(`create function keep_contact_phones() returns trigger language plpgsql as $$
      begin
        insert into contact_phone (digits, organization_id) values (${digitsOf("new.phone")}, new.organization_id) on conflict do nothing;
        return null;
      end $$`);
    for (const table of tables) {
      this.addSql(`create trigger keep_contact_phones after insert or update of phone on ${table} for each row
        when (new.phone is not null) execute function keep_contact_phones()`);
      this.addSql(`alter table ${table} no force row level security;
        insert into contact_phone (digits, organization_id) select distinct ${digitsOf("phone")}, organization_id from ${table} where phone is not null
          on conflict do nothing;
        alter table ${table} force row level security`);
    }
  }
}
