/** `npm start`: starts the whole system on this machine with a demo organization and prints how to call it. */
import { collectWhenIdle } from "@freehold/kit/runtime/garbage-collection";
import { say } from "./command.ts";
import { hasDemoLogins, seedDemo } from "./demo.ts";
import { demoLogins, demoPassword } from "../gateway/src/pages/demo-logins.ts";
import { readSettings } from "./system/settings.ts";
import { startSystem, type System } from "./system/system.ts";

const startedAt = performance.now();

const warn = (sentence: string): void => void process.stderr.write(`${sentence}\n`);

async function start(settings: ReturnType<typeof readSettings>): Promise<System> {
  const { dataDir, host, port, publicUrl, nats, databaseUrls, backupDir, hasDemo, environment } = settings;
  const system = await startSystem({
    dataDir,
    host,
    port,
    publicUrl,
    nats,
    databaseUrls,
    backupDir,
    environment,
    say,
    onWarning: warn,
  });
  if (hasDemo) {
    // The system works without the demo.
    await seedDemo(system.baseUrl, () => say("Seeding the demo organization …")).catch((error: unknown) => warn((error as Error).message));
  } else if (!databaseUrls.identity && (await hasDemoLogins(system.baseUrl)))
    warn(`The demo organization is in ${dataDir}, and everybody knows its passwords. Start with another DATA_DIR, or change the passwords of its users.`);
  return system;
}

/** Returns the line of the banner about e-mails that are not sent; empty when a mail server is set. */
function outboxLine(baseUrl: string, { DEV_OUTBOX, SMTP_URL }: Record<string, string>): string {
  if (DEV_OUTBOX === "true") return `\n  Outbox   ${baseUrl}/api/dev/outbox   (e-mails, stored instead of sent)`;
  return SMTP_URL ? "" : "\n  E-mails are discarded. Set SMTP_URL, or DEV_OUTBOX=true to show them to everybody who reaches this address.";
}

function banner({ baseUrl }: System, { hasDemo, environment }: ReturnType<typeof readSettings>): string {
  const login = `curl -s ${baseUrl}/api/auth/login -H 'Content-Type: application/json' -d '{"email":"${demoLogins[0]!.email}","password":"${demoPassword}"}'`;
  const logins = demoLogins.map(({ role, email }) => `  ${role.padEnd(8)} ${email}`).join("\n");
  return `
Freehold is ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.

  Start    ${baseUrl}   (open it in a browser)
  API      ${baseUrl}/api
  Docs     ${baseUrl}/api/docs${outboxLine(baseUrl, environment)}
${hasDemo ? `\nDemo logins, password \`${demoPassword}\`:\n${logins}\n\nTry it:\n  ${login}\n` : ""}
Ctrl-C stops it.`;
}

process.title = "freehold-launcher";
try {
  const settings = readSettings();
  const starting = start(settings);
  let isStopping = false;
  // A signal during the start stops the system once the start is complete; otherwise PostgreSQL and NATS would outlive the launcher.
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    say("Stopping …");
    starting
      .then((system) => system.stop())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  process.on("SIGHUP", stop);
  const system = await starting;
  if (!isStopping) say(banner(system, settings));
  collectWhenIdle();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
