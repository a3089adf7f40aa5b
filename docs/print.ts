/** `npm run docs`: prints what is printed from the contract and the code; a test compares it with what is committed. */
import { events } from "@freehold/contract/events";
import { openApiDocument } from "@freehold/contract/openapi";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import { schemas } from "../deploy/system/schemas.ts";
import { describeSettings } from "../deploy/system/settings.ts";

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export const openApi = (): string => `${JSON.stringify(openApiDocument("http://127.0.0.1:8080"), null, 2)}\n`;

export function eventCatalogue(): string {
  const rows = Object.entries(events).map(([type, event]) => {
    const { from, says, data } = event;
    const members = Object.keys(data.shape);
    return `| \`${type}\` | ${"alsoFrom" in event ? `${from}, ${event.alsoFrom}` : from} | ${says} | ${members.map((name) => `\`${name}\``).join(", ") || "none"} |`;
  });
  return `# Events

Every event arrives on \`GET /api/events/stream?token=<accessToken>\` as a server-sent event of its name, and on NATS under \`events.{organizationId}.{partition}.{type}\`, where all events of an entity are of one partition. Data is thin: ids and small statuses; read the resource for the rest.

\`\`\`
id: m3x1q8-42
event: payment.received
data: {"id":"…","type":"payment.received","organizationId":"…","occurredAt":"2026-01-05T15:00:00.000Z","entityType":"payment","entityId":"…","actorUserId":"…","requestId":"…","data":{…}}
\`\`\`

The stream itself says \`stream.ready\` first, \`stream.expiring\` sixty seconds before the token ends, and \`stream.reset\` when what was missed is no longer kept: read again with \`updatedAfter\`. Resume with the header \`Last-Event-ID\` or the query parameter \`lastEventId\`; events are kept for 72 hours. The office sees every event of its organization but other users' notifications; a portal user sees what concerns its own subject.

| Event | From | Says | Data |
|---|---|---|---|
${rows.join("\n")}
`;
}

export function settingsPage(): string {
  const rows = describeSettings().map(({ name, byDefault, meaning }) => `| \`${name}\` | ${byDefault ? `\`${byDefault}\`` : ""} | ${meaning} |`);
  return `# Settings

What \`npm start\` reads from the environment. Each is checked at start; a wrong one stops it with a sentence that names it.

| Setting | Default | Meaning |
|---|---|---|
${rows.join("\n")}

## Of each process

What the processes read when they are [deployed one by one](deployment.md); \`npm start\` sets all of it for its own.

| Setting | Default | Of | Meaning |
|---|---|---|---|
${ofProcesses().join("\n")}
`;
}

/** A row for each setting that any process has; one without a default or \`optional\` must be set. */
function ofProcesses(): string[] {
  const all = Object.entries(schemas).flatMap(([process, { shape }]) =>
    Object.entries(shape as Record<string, z.ZodType>).map(([name, type]) => ({ process, name, type })),
  );
  return [...Map.groupBy(all, ({ name }) => name)].map(([name, same]) => {
    const { type } = same[0]!;
    const unset = type.safeParse(undefined);
    const byDefault = !unset.success
      ? "**required**"
      : unset.data === undefined
        ? ""
        : `\`${typeof unset.data === "string" ? unset.data : JSON.stringify(unset.data)}\``;
    const of = same.length === Object.keys(schemas).length ? "all" : same.map(({ process }) => process).join(", ");
    return `| \`${name}\` | ${byDefault} | ${of} | ${type.description ?? ""} |`;
  });
}

export const printed: Record<string, () => string> = { "openapi.json": openApi, "events.md": eventCatalogue, "settings.md": settingsPage };

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const [name, print] of Object.entries(printed)) writeFileSync(here(name), print());
