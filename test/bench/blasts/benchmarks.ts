/** A blast by e-mail to thousands, against a loop that writes the same rows and hands the mails to the same server. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startSmtpServer, type SmtpServer } from "../../../services/communications/test/smtp-server.ts";
import { createLogger } from "@freehold/kit/observability/log";
import { emailMessageId, MAX_CONNECTIONS, smtpMailer } from "../../../services/communications/src/messages/mailer.ts";
import { renderConversationMessage } from "../../../services/communications/src/templates/conversation-message.ts";
import { anOffice, type Office } from "../../support/office.ts";
import { aTenancy } from "../../support/tenancy.ts";
import { addResidents, confirmAddress } from "../../systems/blasts/residents.ts";
import { residentSetAfterGcKib, withForcedGc } from "../memory.ts";
import { runBenchmark, type BenchmarkResult } from "../measure.ts";
import { startBenchSystem, type BenchSystem } from "../bench-system.ts";

const RECIPIENTS = Number(process.env["BENCH_BLAST_RECIPIENTS"] ?? 20_000);
const REFUSED_EACH = 100;
const LIMIT_MIB = 32;
const POLL_MS = 500;

/** Sends a blast to the residents of a property, and returns the recipients per second until each message has been attempted. */
async function sendBlast(office: Office, propertyId: string): Promise<number> {
  const { blast } = await office.call("createBlast", {
    body: { title: "Water", body: "Off at noon.", channels: ["email"], target: { propertyIds: [propertyId] } },
  });
  const params = { id: blast.id };
  const started = performance.now();
  await office.call("sendBlast", { params });
  for (;;) {
    // Each call counts all messages, so it is made seldom.
    await sleep(POLL_MS);
    const { completedAt, recipientStats } = (await office.call("getBlast", { params })).blast;
    if (completedAt !== null && recipientStats.pending === 0) return recipientStats.total / ((performance.now() - started) / 1_000);
  }
}

/** Writes the rows of the latest blast once more into copies of their tables and hands over its mails, and returns the recipients per second. */
async function writeAndSend({ system }: BenchSystem, smtp: SmtpServer, office: Office): Promise<number> {
  const pool = new pg.Pool({ connectionString: system.adminUrl!.replace(/\/postgres$/, "/communications"), max: MAX_CONNECTIONS });
  const mailer = smtpMailer(smtp.url, createLogger("bench", "silent"));
  for (const table of ["message", "blast_recipient"])
    await pool.query(
      `drop table if exists bare_${table}; create table bare_${table} (like ${table} including defaults including constraints including indexes)`,
    );
  const { rows } = await pool.query<{ id: string; to: string; blast: string; tenant: string }>(
    `select m.id, m.to_address as "to", r.blast_id as blast, r.tenant_id as tenant from message m join blast_recipient r on r.organization_id = m.organization_id and r.message_id = m.id
      where m.organization_id = $1 and m.template = 'blast' order by r.blast_id desc, m.id limit $2`,
    [office.organizationId, RECIPIENTS],
  );
  const waiting = rows.values();
  const from = "office@example.com";
  const content = renderConversationMessage({ subject: "Water", organizationName: "Elm Street Management", body: "Off at noon.", documents: [] });
  const started = performance.now();
  await Promise.all(
    Array.from({ length: MAX_CONNECTIONS }, async () => {
      for (const { id, to, blast, tenant } of waiting) {
        await pool.query(
          `with recipient as (insert into bare_blast_recipient (organization_id, id, created_at, updated_at, blast_id, tenant_id, channel, language, status, message_id)
              values ($1, $2, now(), now(), $3, $4, 'email', 'en', 'queued', $5))
            insert into bare_message (organization_id, id, created_at, updated_at, channel, template, recipient_type, recipient_id, to_address, from_address, subject, text, html, provider, status, history, attempts, next_attempt_at)
              values ($1, $5, now(), now(), 'email', 'blast', 'tenant', $4, $6, $7, $8, $9, $10, 'smtp', 'queued', '[]', 0, now())`,
          [office.organizationId, randomUUID(), blast, tenant, id, to, from, content.subject, content.text, content.html],
        );
        const { status } = await mailer.send({ id, to, messageId: emailMessageId(id, from), from, replyTo: null, ...content });
        await pool.query(
          "update bare_message set status = $3, text = null, html = null, next_attempt_at = null, updated_at = now() where organization_id = $1 and id = $2",
          [office.organizationId, id, status],
        );
      }
    }),
  );
  const rate = rows.length / ((performance.now() - started) / 1_000);
  mailer.close();
  await pool.end();
  return rate;
}

/** Runs the benchmarks of blasts on their own system. */
export async function blasts(log: (text: string) => void, onResult: (result: BenchmarkResult) => void): Promise<void> {
  const smtp = await startSmtpServer();
  smtp.refuseRecipients("550 5.1.1 no such user", /<refused/);
  const bench = await startBenchSystem(log, { programOf: withForcedGc("communications"), environment: { SMTP_URL: smtp.url } });
  try {
    const office = await anOffice(bench.system.baseUrl);
    await confirmAddress(office, smtp);
    const tenancy = await aTenancy(office);
    await addResidents(bench.system, tenancy, RECIPIENTS, REFUSED_EACH);
    const pid = bench.system.children.get("communications")!.pid!;
    await sendBlast(office, tenancy.propertyId);
    const before = await residentSetAfterGcKib(pid);
    onResult(
      await runBenchmark({
        name: `a blast by e-mail to ${RECIPIENTS} tenants, sent`,
        against: "a loop that writes the same rows and hands the mails to the same server",
        target: { atLeast: 0.5 },
        unit: "/s",
        ours: () => sendBlast(office, tenancy.propertyId),
        theirs: () => writeAndSend(bench, smtp, office),
      }),
    );
    const ours = ((await residentSetAfterGcKib(pid)) - before) / 1_024;
    const name = `memory that the service keeps after three blasts to ${RECIPIENTS} tenants`;
    onResult({ name, against: `${LIMIT_MIB} MiB`, target: { atMost: 1 }, unit: "MiB", ours, theirs: LIMIT_MIB, ratio: ours / LIMIT_MIB });
  } finally {
    await bench.end();
    await smtp.close();
  }
}
