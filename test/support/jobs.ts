/** Scheduled jobs of an organization in the system under test. */
import pg from "pg";
import { running, type RunningSystem } from "./running.ts";
import { eventually } from "./eventually.ts";

/** Waits until no job of the organization is due, requested, running or waiting for a retry in a service. */
export async function waitForIdleJobs(service: keyof RunningSystem["databaseUrls"], { organizationId }: { organizationId: string }): Promise<void> {
  const client = new pg.Client({ connectionString: running().databaseUrls[service].owner });
  await client.connect();
  try {
    await client.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    await eventually(`idle jobs of ${service}`, async () => {
      const { rows } = await client.query(
        // `now()` would precede the snapshot, so a job that was requested again in between would not count as due.
        `select job from scheduled_work where organization_id = $1 and (next_run_at <= clock_timestamp() or claimed_until is not null or failures > 0)
          union all select job from work_request where organization_id = $1`,
        [organizationId],
      );
      return rows.length === 0;
    });
  } finally {
    await client.end();
  }
}
