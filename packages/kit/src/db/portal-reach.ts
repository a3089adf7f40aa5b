/**
 * Reach of portal users in the database. The organization of a table's policy is null for them, so a table shows and takes nothing
 * unless a migration gives it a reach: a second policy with the rows of the record that the user represents.
 */
import { portalUserOf } from "../auth/principal.ts";
import type { OrgTx } from "./org-tx.ts";
import { OrgDb } from "./org-db.ts";
import { sql } from "./statement.ts";

/**
 * Returns the database with the reach of the office for the same caller, for a read that a portal needs and that shows none of the
 * rows read. Each use says why.
 */
export const withOfficeReach = (db: OrgDb): OrgDb => new OrgDb(db.database, db.principal, db.request, "");

/** Record that a portal user reaches, and the day from which on it is out of reach; without one it stays in reach. */
export interface ReachedRecord {
  id: string;
  before?: string | undefined;
}

/**
 * Returns the database with the records of another service that the portal user reaches, which that service has told: the setting of the
 * portal user names them, and the policies of a service that has only projections of these records read them there.
 */
export const withReachedRecords = (db: OrgDb, records: readonly ReachedRecord[]): OrgDb =>
  new OrgDb(
    db.database,
    db.principal,
    db.request,
    `${portalUserOf(db.principal)}:${records.map(({ id, before }) => (before === undefined ? id : `${id}@${before}`)).join(",")}`,
  );

/**
 * Runs a part of a portal user's transaction with the reach of the office, for a write or read that the portal's operation consists of
 * and its user does not see. Each use says why. Changes made before are checked against the reach of the user.
 */
export async function inOfficeReach<T>(tx: OrgTx, work: () => Promise<T>): Promise<T> {
  const { portalUser } = tx.db;
  if (portalUser === "") return work();
  await setPortalUser(tx, "");
  try {
    const result = await work();
    await tx.flush();
    return result;
  } finally {
    // After an error of the database the transaction can only be rolled back, which resets the setting.
    await setPortalUser(tx, portalUser).catch(() => undefined);
  }
}

const setPortalUser = (tx: OrgTx, portalUser: string): Promise<unknown> => tx.all(sql`select set_config('app.portal_user', ${portalUser}, true)`);

/** Conditions of the rows of a table that a portal user reaches. */
export interface PortalReach {
  reads: string;
  /** Condition of a row after it was inserted or updated. By default portal users write nothing. */
  writes?: string;
  /** Condition of the rows that a portal user deletes. By default none. */
  deletes?: string;
}

/**
 * SQL that limits the tables of a service to the office, and its functions that search with the owner's privileges, for the migration
 * of a service that was made before portal users had a reach.
 */
export const officeOnlySql = `do $$
  declare
    table_name name;
    fn oid;
  begin
    for table_name in select tablename from pg_policies where schemaname = 'public' group by 1
        having bool_or(policyname = 'own_organization') and not bool_or(policyname = 'portal_reach') loop
      execute format('alter policy own_organization on %I using (organization_id = (select office_organization()))
        with check (organization_id = (select office_organization()))', table_name);
    end loop;
    for fn in select oid from pg_proc where pronamespace = 'public'::regnamespace and prosecdef and prosrc like '%current_setting(%app.organization_id%' loop
      execute regexp_replace(pg_get_functiondef(fn), $pattern$nullif\\(current_setting\\('+app.organization_id'+, true\\), '+\\)::uuid$pattern$, '(case when portal_role() is null then current_organization() end)', 'g');
    end loop;
  end $$`;

/**
 * Returns the SQL that gives portal users a reach in a table. The condition of the office is evaluated once per statement, and those
 * of the reach for portal users alone.
 */
export const portalReachSql = (table: string, { reads, writes = "false", deletes = "false" }: PortalReach): string => `
  alter policy own_organization on ${table} using (organization_id = (select current_organization())) with check (organization_id = (select current_organization()));
  create policy portal_reach on ${table} as restrictive using ((select is_office()) or (${reads})) with check ((select is_office()) or (${writes}));
  create policy portal_deletes on ${table} as restrictive for delete using ((select is_office()) or (${deletes}));`;
