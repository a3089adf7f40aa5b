/** Process of the launcher that migrates the databases of all services. It reads their URLs as JSON from its standard input, and ends when that has none. */
import { text } from "node:stream/consumers";
import { migrate } from "@freehold/kit/db/database";
import { definitions } from "./database-definitions.ts";
import type { DatabaseUrls } from "./databases.ts";
import { services, type ServiceName } from "../secrets.ts";

const input = await text(process.stdin);
if (input !== "") {
  const urls = JSON.parse(input) as Record<ServiceName, DatabaseUrls>;
  try {
    await Promise.all(services.map((name) => migrate(definitions[name], urls[name].owner, decodeURIComponent(new URL(urls[name].service).username))));
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    // The error of several refused addresses has a code only.
    process.stderr.write(`The databases could not be migrated: ${message || code}\n`);
    process.exitCode = 1;
  }
}
