/**
 * A blast whose service is killed while it is queued and while it is sent: each recipient whose address is accepted gets it once, those whose address is
 * refused are counted as failed, and nobody is left out. A mail that was handed over when the service died is handed over again under the same
 * `Message-ID`, by which mail servers recognise it. Starts its own system with a mail server.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { startSmtpServer, type SmtpServer } from "../../services/communications/test/smtp-server.ts";
import { eventually } from "../support/eventually.ts";
import { anOffice, type Office } from "../support/office.ts";
import { isFullProof, sized } from "../support/proof.ts";
import { testSettings } from "../support/settings.ts";
import { aTenancy } from "../support/tenancy.ts";
import { addResidents, confirmAddress } from "./blasts/residents.ts";
import { asSuperuser } from "./faults/invariants.ts";

const RECIPIENTS = sized(300, 20_000);
const REFUSED_EACH = 100;
const KILLS = sized(2, 5);
/** Attempts that the service makes at a time: as many mails may be on their way when it dies. */
const CONNECTIONS = 5;
const TIMEOUT_MS = sized(180_000, 1_800_000);

const dataDir = mkdtempSync(join(tmpdir(), "freehold-blasts-"));
let smtp: SmtpServer;
let system: System;
let office: Office;

beforeAll(async () => {
  smtp = await startSmtpServer();
  smtp.refuseRecipients("550 5.1.1 no such user", /<refused/);
  system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, environment: { ...testSettings, SMTP_URL: smtp.url } });
  office = await anOffice(system.baseUrl);
}, TIMEOUT_MS);
afterAll(async () => {
  await system?.stop();
  await smtp?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Kills the service, and lets the claims of its messages and jobs expire. Returns once it runs again. */
async function killCommunications(): Promise<void> {
  const { pid } = system.children.get("communications")!;
  process.kill(pid!, "SIGKILL");
  await asSuperuser(system, "communications", async (client) => {
    const { rows } = await client.query<{ now: Date }>("select now()");
    const killedAt = rows[0]!.now;
    await eventually("end of the connections of the killed process", async () => {
      const { rowCount } = await client.query("select from pg_stat_activity where usename = 'communications_service' and backend_start < $1", [killedAt]);
      return rowCount === 0;
    });
    await client.query("update message set next_attempt_at = now() where status = 'queued' and updated_at < $1", [killedAt]);
    await client.query("update scheduled_work set claimed_until = null, next_run_at = now() where claimed_until is not null");
  });
  await eventually("restarted service", async () => {
    const child = system.children.get("communications")!;
    return child.pid !== undefined && child.pid !== pid && (await office.attempt("listBlasts")).status === 200;
  });
}

/** Returns the mails of the blast by their `Message-ID`, with the number of times that each was handed over. */
function countMails(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const mail of smtp.mails) {
    const [, id] = /^Message-ID: (\S+)/im.exec(mail)!;
    if (/^Subject: Water/im.test(mail)) counts.set(id!, (counts.get(id!) ?? 0) + 1);
  }
  return counts;
}

test(
  "a blast reaches each recipient once, although its service is killed while it is queued and sent",
  async () => {
    await confirmAddress(office, smtp);
    const tenancy = await aTenancy(office);
    await addResidents(system, tenancy, RECIPIENTS, REFUSED_EACH);
    const { blast } = await office.call("createBlast", {
      body: { title: "Water", body: "Off at noon.", channels: ["email"], target: { propertyIds: [tenancy.propertyId] } },
    });
    const read = async () => (await office.call("getBlast", { params: { id: blast.id } })).blast;
    await office.call("sendBlast", { params: { id: blast.id } });
    const started = performance.now();
    for (let kill = 1; kill <= KILLS; kill++) {
      const handedOver = (kill * RECIPIENTS) / (KILLS + 1);
      await eventually(`${handedOver} mails`, () => smtp.mails.length >= handedOver, TIMEOUT_MS);
      expect(await read()).toMatchObject({ completedAt: null });
      await killCommunications();
    }
    const refused = RECIPIENTS / REFUSED_EACH;
    const stats = await eventually(
      "sent blast",
      async () => {
        const { completedAt, recipientStats } = await read();
        return completedAt !== null && recipientStats.pending === 0 && recipientStats;
      },
      TIMEOUT_MS,
    );
    expect(stats).toEqual({ dispatched: RECIPIENTS - refused, failed: refused, pending: 0, total: RECIPIENTS });

    const mails = countMails();
    const repeated = [...mails.values()].reduce((sum, count) => sum + count - 1, 0);
    expect([mails.size, repeated <= KILLS * CONNECTIONS]).toEqual([RECIPIENTS - refused, true]);
    const seconds = ((performance.now() - started) / 1_000).toFixed(0);
    process.stdout.write(
      `recipients=${RECIPIENTS} refused=${refused} kills=${KILLS} mails=${mails.size} repeated=${repeated} lost=${RECIPIENTS - refused - mails.size}${isFullProof ? ` seconds=${seconds}` : ""}\n`,
    );
  },
  TIMEOUT_MS,
);
