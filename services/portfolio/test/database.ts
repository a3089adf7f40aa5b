/** Direct access to portfolio's database, for state that the API does not expose. */
import type { Envelope } from "@freehold/contract/events";
import pg from "pg";
import { waitForIdleJobs } from "../../../test/support/jobs.ts";
import type { Colleague } from "../../../test/support/office.ts";
import { running } from "../../../test/support/running.ts";

/** Runs a statement in the scope of an organization, as the owner of the database, and returns its rows. */
export const queryRows = <R extends object>(organizationId: string, text: string, values: unknown[] = []): Promise<R[]> =>
  queryRowsAs("owner", organizationId, text, values);

/** Runs a statement in the scope of an organization, as the role of the service, to which row-level security applies. */
export const queryRowsAsService = (organizationId: string, text: string): Promise<object[]> => queryRowsAs("service", organizationId, text, []);

async function queryRowsAs<R extends object>(role: "owner" | "service", organizationId: string, text: string, values: unknown[]): Promise<R[]> {
  const client = new pg.Client({ connectionString: running().databaseUrls.portfolio[role] });
  await client.connect();
  try {
    await client.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Returns the published events of one entity, oldest first. */
export async function findOutboxEvents({ organizationId }: Colleague, entityId: string): Promise<Envelope[]> {
  const rows = await queryRows<{ envelope: Envelope }>(
    organizationId,
    "select envelope from outbox where organization_id = $1 and envelope ->> 'entityId' = $2 order by position",
    [organizationId, entityId],
  );
  return rows.map(({ envelope }) => envelope);
}

/** Makes all scheduled jobs of an organization due now. Waits for the running ones first, because a job that ends sets its next time. */
export async function makeJobsDue(office: Colleague): Promise<void> {
  await waitForIdleJobs("portfolio", office);
  await makeJobsDueAtOnce(office);
}

/** Makes all scheduled jobs of an organization due now, also while they run. */
export const makeJobsDueAtOnce = ({ organizationId }: Colleague): Promise<object[]> =>
  queryRows(organizationId, "update scheduled_work set next_run_at = now() where organization_id = $1", [organizationId]);
