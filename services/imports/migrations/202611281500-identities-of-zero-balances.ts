import { Migration } from "@mikro-orm/migrations";

const postsNothing = `entity_type = 'opening_balance' and coalesce(data ->> 'balance', '') !~ '[1-9]' and coalesce(data ->> 'prepaid', '') !~ '[1-9]'`;

/** Removes the records of opening balances of zero, which were their leases, from identities and candidates. Those that are not written yet are unchanged. */
export class IdentitiesOfZeroBalances extends Migration {
  override up(): void {
    for (const table of ["import_identity", "import_candidate"]) this.addSql(`alter table ${table} no force row level security`);
    this.addSql(`delete from import_identity where ${postsNothing}`);
    const unchanged = (column: string) => `${column} = case ${column} when 'ready_create' then 'unchanged' else ${column} end`;
    this.addSql(
      `update import_candidate set result_entity_id = null, chosen_entity_id = null, ${unchanged("verdict")}, ${unchanged("status")} where ${postsNothing}`,
    );
    for (const table of ["import_identity", "import_candidate"]) this.addSql(`alter table ${table} force row level security`);
  }
}
