/** Residents of a lease in any number, and an admin who may write to them. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { System } from "../../../deploy/system/system.ts";
import type { SmtpServer } from "../../../services/communications/test/smtp-server.ts";
import { eventually } from "../../support/eventually.ts";
import type { Office } from "../../support/office.ts";
import type { Tenancy } from "../../support/tenancy.ts";
import { asSuperuser } from "../faults/invariants.ts";

/** Opens the link by which the admin confirms their address, without which no blast is sent. */
export async function confirmAddress(office: Office, smtp: SmtpServer): Promise<void> {
  const token = await eventually("confirmation link", () => {
    const mail = smtp.mails.find((each) => each.includes(office.email) && each.includes("/email-confirmation/"));
    return mail && /\/email-confirmation\/([\w.-]+)/.exec(mail.replaceAll("=\r\n", ""))?.[1];
  });
  await office.call("confirmEmail", { body: { token } });
}

/** Inserts copies of a row of a table, each with the values of another object. Generated columns follow the others. */
async function copyRow(client: pg.Client, table: string, id: string, values: readonly object[]): Promise<void> {
  const { rows } = await client.query<{ columns: string }>(
    `select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
      where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  );
  const { columns } = rows[0]!;
  await client.query(
    `insert into ${table} (${columns}) select ${columns} from (select (jsonb_populate_record(t, changes)).* from ${table} t, jsonb_array_elements($2::jsonb) changes where t.id = $1) copy`,
    [id, JSON.stringify(values)],
  );
}

/** Adds co-tenants to a lease. The addresses of some begin with `refused`: of each `refusedEach` one. */
export const addResidents = (system: System, { tenantId, leaseId }: Tenancy, count: number, refusedEach: number): Promise<void> =>
  asSuperuser(system, "portfolio", async (client) => {
    await client.query("set session_replication_role = replica");
    const tenants = Array.from({ length: count }, (_, n) => ({
      id: randomUUID(),
      email: `${n % refusedEach === 0 ? "refused" : "resident"}${n}@example.com`,
    }));
    await copyRow(client, "tenant", tenantId, tenants);
    const { rows } = await client.query<{ id: string }>("select id from lease_occupant where lease_id = $1 and tenant_id = $2", [leaseId, tenantId]);
    await copyRow(
      client,
      "lease_occupant",
      rows[0]!.id,
      tenants.map(({ id }, n) => ({ id: randomUUID(), tenant_id: id, is_primary: false, position: n + 1 })),
    );
  });
