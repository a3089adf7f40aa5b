/** Database of the witness: the kit's tables, and the table `effect` with one row for each applied event in order. */
import { migrate, type DatabaseDefinition } from "@freehold/kit/db/database";
import pg from "pg";
import type { System } from "../../../deploy/system/system.ts";

export const witnessDatabase: DatabaseDefinition = { service: "witness", entities: [], constraints: {} };

export const WITNESS_ROLE = "witness_service";

/** Creates the database in the system's cluster and returns its URLs for the owner and the service's role. */
export async function createWitnessDatabase({ adminUrl }: Pick<System, "adminUrl">): Promise<{ owner: string; service: string }> {
  const owner = adminUrl!.replace(/\/postgres$/, "/witness");
  const password = "only-in-this-test";
  await execute(adminUrl!, `create role ${WITNESS_ROLE} login password '${password}'`);
  await execute(adminUrl!, "create database witness");
  await execute(owner, "create table effect (position bigint generated always as identity primary key, event_id uuid not null, entity_id uuid not null)");
  await migrate(witnessDatabase, owner, WITNESS_ROLE);
  const service = new URL(owner);
  service.username = WITNESS_ROLE;
  service.password = password;
  return { owner, service: service.href };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
