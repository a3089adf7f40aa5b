import { Migration } from "@mikro-orm/migrations";

/**
 * Functions that run with the owner's privileges find tables in the schema of the service before temporary ones, which a caller can
 * create under the same names.
 */
export class SearchPathsOfFunctions extends Migration {
  override up(): void {
    this.addSql(`do $$
    declare
      privileged regprocedure;
    begin
      for privileged in select oid from pg_proc where pronamespace = 'public'::regnamespace and prosecdef
          and not exists (select from unnest(proconfig) as setting where setting like 'search_path=%pg_temp%') loop
        execute format('alter function %s set search_path = public, pg_temp', privileged);
      end loop;
    end $$`);
  }
}
