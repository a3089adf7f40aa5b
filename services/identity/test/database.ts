/** Direct access to the identity database of the running system, for state that the API does not expose. */
import { randomUUID } from "node:crypto";
import { Client } from "pg";
import type { Envelope } from "@freehold/contract/events";
import { waitForIdleJobs } from "../../../test/support/jobs.ts";
import { running } from "../../../test/support/running.ts";

const blockedConnections = "select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))";

async function queryInOrganization(organizationId: string, statement: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: running().databaseUrls.identity.owner });
  await client.connect();
  try {
    await client.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    const { rows } = await client.query<Record<string, unknown>>(statement, values);
    return rows;
  } finally {
    await client.end();
  }
}

/** Returns the organization's events in identity's outbox, oldest first. */
export async function findPublishedEvents(organizationId: string): Promise<Envelope[]> {
  const rows = await queryInOrganization(organizationId, "select envelope from outbox where organization_id = $1 order by position", [organizationId]);
  return rows.map(({ envelope }) => envelope as Envelope);
}

/** Returns the organization's rows of a table, sorted by id. */
export const readRows = (organizationId: string, table: string): Promise<Record<string, unknown>[]> =>
  queryInOrganization(organizationId, `select * from ${table} where organization_id = $1 order by id`, [organizationId]);

/** Returns the organization's rows of a table as JSON text. */
export async function readTableAsJson(organizationId: string, table: string): Promise<string> {
  return JSON.stringify(await queryInOrganization(organizationId, `select * from ${table} where organization_id = $1`, [organizationId]));
}

/** Moves the expiry of the organization's sessions, and the expiry and use of its refresh tokens, earlier by `seconds`. */
export async function ageTokens(organizationId: string, seconds: number): Promise<void> {
  const values = [organizationId, seconds];
  await queryInOrganization(
    organizationId,
    "update refresh_token set used_at = used_at - make_interval(secs => $2), expires_at = expires_at - make_interval(secs => $2) where organization_id = $1",
    values,
  );
  await queryInOrganization(organizationId, "update session set expires_at = expires_at - make_interval(secs => $2) where organization_id = $1", values);
}

/** Records that an organization has sent invites before the confirmation of an e-mail address. */
export async function recordInvitesSent(organizationId: string, count: number): Promise<void> {
  await queryInOrganization(organizationId, "update organization set invites_before_confirmation = $2 where organization_id = $1", [organizationId, count]);
}

/** Expires the organization's invites. */
export async function expireInvites(organizationId: string): Promise<void> {
  await queryInOrganization(organizationId, "update user_invite set expires_at = now() - interval '1 second' where organization_id = $1", [organizationId]);
}

/** Moves the expiry of the organization's invites earlier by `seconds`. */
export async function ageInvites(organizationId: string, seconds: number): Promise<void> {
  const values = [organizationId, seconds];
  await queryInOrganization(organizationId, "update user_invite set expires_at = expires_at - make_interval(secs => $2) where organization_id = $1", values);
}

/** Moves the expiry of the organization's one-time tokens earlier by `seconds`. */
export async function ageOneTimeTokens(organizationId: string, seconds: number): Promise<void> {
  const values = [organizationId, seconds];
  await queryInOrganization(organizationId, "update one_time_token set expires_at = expires_at - make_interval(secs => $2) where organization_id = $1", values);
}

/** Expires the organization's service keys that have an expiry. */
export async function expireServiceKeys(organizationId: string): Promise<void> {
  await queryInOrganization(organizationId, "update service_key set expires_at = now() where organization_id = $1 and expires_at is not null", [
    organizationId,
  ]);
}

/** Inserts copies of a service key. */
export async function copyServiceKey(organizationId: string, id: string, count: number): Promise<void> {
  const [key] = await queryInOrganization(organizationId, "select * from service_key where organization_id = $1 and id = $2", [organizationId, id]);
  for (let index = 0; index < count; index++)
    await queryInOrganization(organizationId, "insert into service_key select * from json_populate_record(null::service_key, $1)", [
      JSON.stringify({ ...key, id: randomUUID() }),
    ]);
}

/** Runs the work while the row of a user is locked by a transaction that deactivates the user and commits afterwards. */
export async function whileBeingDeactivated(
  organizationId: string,
  userId: string,
  work: (isBlocking: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
  const client = new Client({ connectionString: running().databaseUrls.identity.owner });
  await client.connect();
  try {
    await client.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    await client.query("begin");
    await client.query("update app_user set is_active = false where organization_id = $1 and id = $2", [organizationId, userId]);
    await work(async () => (await client.query(blockedConnections)).rows.length > 0);
    await client.query("commit");
  } finally {
    await client.end();
  }
}

/** Inserts audit entries that occurred at the given times, by entity id. */
export async function insertAuditEntries(organizationId: string, times: Record<string, Date>): Promise<void> {
  for (const [entityId, occurredAt] of Object.entries(times))
    await queryInOrganization(
      organizationId,
      "insert into audit_entry (organization_id, id, occurred_at, action, entity_type, entity_id) values ($1, $2, $3, 'user.updated', 'user', $2)",
      [organizationId, entityId, occurredAt],
    );
}

/** Inserts accounts with an address in organizations older than all others, each as an accepted invite has left it. */
export async function insertOlderAccounts(like: { organizationId: string }, email: string, count: number): Promise<void> {
  const { organizationId } = like;
  const [organization] = await queryInOrganization(organizationId, "select * from organization where organization_id = $1", [organizationId]);
  const [user] = await queryInOrganization(organizationId, "select * from app_user where organization_id = $1 and email = $2", [organizationId, email]);
  for (let index = 0; index < count; index++) {
    const id = `00000000${randomUUID().slice(8)}`;
    const copy = { ...organization, organization_id: id, id, slug: id };
    const insert = (table: string, row: object) =>
      queryInOrganization(id, `insert into ${table} select * from json_populate_record(null::${table}, $1)`, [JSON.stringify(row)]);
    await insert("organization", copy);
    await insert("app_user", { ...user, organization_id: id });
    await insert("sign_in_address", { email, organization_id: id, user_id: user!["id"], proof: "invite", signed_in_at: "2020-01-01T00:00:00Z" });
  }
}

/** Makes all scheduled jobs of the organization due. Waits for the running ones first, because a job that ends sets its next time. */
export async function makeJobsDue(organizationId: string): Promise<void> {
  await waitForIdleJobs("identity", { organizationId });
  await queryInOrganization(organizationId, "update scheduled_work set next_run_at = now() where organization_id = $1", [organizationId]);
}

/** Replaces the password hash of a user. */
export const setPasswordHash = (organizationId: string, userId: string, hash: string): Promise<unknown> =>
  queryInOrganization(organizationId, "update app_user set password_hash = $3 where organization_id = $1 and id = $2", [organizationId, userId, hash]);

/** Runs the work while the one-time tokens of an organization are locked. `isBlocking` returns true while another connection waits for them. */
export async function withLockedOneTimeTokens(organizationId: string, work: (isBlocking: () => Promise<boolean>) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: running().databaseUrls.identity.owner });
  await client.connect();
  try {
    await client.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    await client.query("begin");
    await client.query("select id from one_time_token where organization_id = $1 for update", [organizationId]);
    await work(async () => (await client.query(blockedConnections)).rows.length > 0);
  } finally {
    await client.end();
  }
}
