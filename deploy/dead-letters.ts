/**
 * `npm run dead-letters -- list | retry <service> <position> | drop <service> <position>`: manages the retry queues of events that
 * a service could not consume. `list` prints at most 200 events per service. Later events of an entity wait until the first is
 * retried successfully or dropped.
 */
import { Client } from "pg";
import { runCommand, say } from "./command.ts";
import { readSystemState } from "./system/system-state.ts";

interface QueuedEvent {
  position: string;
  type: string;
  entity_id: string;
  attempts: number;
  is_dead: boolean;
  error: string;
}

const databases = (): Record<string, { service: string }> => readSystemState().databaseUrls;

async function withDatabase<T>(service: string, work: (client: Client) => Promise<T>): Promise<T> {
  const urls = databases()[service];
  if (!urls) throw new Error(`There is no service called ${service}. Use one of: ${Object.keys(databases()).join(", ")}.`);
  const client = new Client({ connectionString: urls.service });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function list(): Promise<void> {
  for (const service of Object.keys(databases())) {
    const { rows } = await withDatabase(service, (client) =>
      client.query<QueuedEvent>(
        "select position, envelope ->> 'type' as type, entity_id, attempts, dead_at is not null as is_dead, error from parked_event order by position limit 200",
      ),
    );
    for (const row of rows)
      say(`${service} ${row.position} ${row.is_dead ? "dead" : "waiting"} ${row.type} ${row.entity_id} after ${row.attempts} attempts: ${row.error}`);
  }
}

const statements: Record<string, string> = {
  retry: "update parked_event set dead_at = null, attempts = 0, next_attempt_at = now() where position = $1",
  // A dropped event counts as consumed, so that a stream that is filled again does not bring it back.
  drop: `with dropped as (delete from parked_event where position = $1 returning consumer, event_id),
    consumed as (insert into inbox (consumer, event_id, slot) select consumer, event_id, event_slot(uuid_extract_timestamp(event_id)) from dropped
      where uuid_extract_timestamp(event_id) is not null on conflict do nothing)
    select from dropped`,
};

async function changeEvent(action: string, service: string, position: string): Promise<void> {
  const { rowCount } = await withDatabase(service, (client) => client.query(statements[action]!, [position]));
  if (rowCount === 0) throw new Error(`${service} has no queued event ${position}.`);
  say(`${service} ${position}: ${action === "drop" ? "dropped" : "will be retried"}.`);
}

const [action = "list", service, position] = process.argv.slice(2);
await runCommand(async () => {
  if (action === "list") await list();
  else if (statements[action] && service && /^\d+$/.test(position ?? "")) await changeEvent(action, service, position!);
  else throw new Error("Usage: list, retry <service> <position>, or drop <service> <position>.");
});
