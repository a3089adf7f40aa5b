/**
 * `npm run webhook -- <receiver> [event] [--url <base>] [--address <e-mail or phone>]`: signs a sample of an event with the secrets in the
 * environment, sends it to a running system, and prints the answer. `npm run webhook -- certificate` creates the certificate with which
 * this program stands for the cloud notification service.
 */
import { createPrivateKey } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { runCommand, say } from "./command.ts";
import { ensurePrivateDirectory, writePrivateFile } from "./system/private-files.ts";
import { defaultDataDir } from "./system/system-state.ts";
import { createSigningCertificate } from "./webhooks/certificate.ts";
import { samples, type SampleSettings } from "./webhooks/samples.ts";

const YEAR_MS = 31_536_000_000;
/** Time for which the certificate and the API stay available after the answer, for the confirmation of a subscription. */
const CONFIRMATION_MS = 3_000;

const certificateDir = join(process.env["DATA_DIR"] ?? defaultDataDir, "webhooks");
const certificateFile = join(certificateDir, "certificate.pem");
const keyFile = join(certificateDir, "key.pem");

const usage = () =>
  `Usage: npm run webhook -- <receiver> [event] [--url <base>] [--address <e-mail or phone>]\n${Object.entries(samples)
    .map(([receiver, events]) => `  ${receiver}: ${Object.keys(events).join(", ")}`)
    .join("\n")}\n  certificate: creates ${certificateFile}`;

async function createCertificate(): Promise<void> {
  const { pem, privateKey } = await createSigningCertificate({ to: Date.now() + YEAR_MS });
  ensurePrivateDirectory(certificateDir);
  writePrivateFile(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  writeFileSync(certificateFile, pem);
  say(`Created ${certificateFile}. Start the system with NODE_EXTRA_CA_CERTS=${certificateFile} and CLOUD_NOTIFICATION_CERT_HOSTS=localhost:8444.`);
}

/** Returns the host of the certificate and its key, if both are there. */
function cloudOf(hosts: string | undefined): SampleSettings["cloud"] {
  const host = hosts?.split(/[\s,]+/).find((each) => each.startsWith("localhost"));
  if (host === undefined) return undefined;
  if (!existsSync(keyFile)) throw new Error("There is no certificate yet. Run npm run webhook -- certificate, and restart the system as it says.");
  return { host, privateKey: createPrivateKey(readFileSync(keyFile)) };
}

/** Serves the certificate and the API of the cloud notification service on its host. */
async function serveCloud({ host }: NonNullable<SampleSettings["cloud"]>): Promise<Server> {
  const pem = readFileSync(certificateFile, "utf8");
  const server = createServer({ key: readFileSync(keyFile), cert: pem }, (req, res) => {
    if (!req.url!.endsWith(".pem")) say(`The system requested ${req.url!.split("&Token")[0]}.`);
    res.end(req.url!.endsWith(".pem") ? pem : "<ConfirmSubscriptionResponse/>");
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(Number(host.split(":")[1] ?? 443), "localhost", resolve));
  return server;
}

async function send(receiver: string, eventName: string | undefined, url: string, address: string | undefined): Promise<void> {
  const events = samples[receiver];
  const make = events && (eventName === undefined ? Object.values(events)[0] : events[eventName]);
  if (!make) throw new Error(usage());
  const { env } = process;
  const cloud = receiver.endsWith("cloud-inbound") ? cloudOf(env["CLOUD_NOTIFICATION_CERT_HOSTS"]) : undefined;
  const { path, headers, body } = make({
    publicUrl: env["PUBLIC_URL"] ?? url,
    paymentSecret: env["PAYMENT_PROVIDER_WEBHOOK_SECRET"],
    emailSecret: env["EMAIL_INBOUND_WEBHOOK_SECRET"],
    smsAuthToken: env["SMS_PROVIDER_AUTH_TOKEN"],
    pushToken: env["MAILBOX_PUSH_TOKEN"],
    emailTopicArn: env["CLOUD_EMAIL_TOPIC_ARN"],
    smsTopicArn: env["CLOUD_SMS_TOPIC_ARN"],
    cloud,
    address,
  });
  const server = cloud && (await serveCloud(cloud));
  try {
    const response = await fetch(`${url.replace(/\/$/, "")}${path}`, { method: "POST", headers, body, redirect: "error" });
    say(`${response.status} ${await response.text()}`);
    if (server && eventName === "subscription") await sleep(CONFIRMATION_MS);
  } finally {
    server?.closeAllConnections();
    server?.close();
  }
}

await runCommand(async () => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { url: { type: "string" }, address: { type: "string" } } });
  const [receiver, eventName] = positionals;
  if (receiver === undefined) throw new Error(usage());
  if (receiver === "certificate") return createCertificate();
  const url = values.url ?? `http://${process.env["HOST"] ?? "127.0.0.1"}:${process.env["PORT"] ?? 8080}`;
  await send(receiver, eventName, url, values.address);
});
