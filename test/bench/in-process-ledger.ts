/** Runs the ledger's code in the benchmark process against the system's database, to measure it without network overhead. */
import type { payments } from "@freehold/contract/ledger/payments";
import type { BodyOf } from "@freehold/contract/operation";
import { OrgDb } from "@freehold/kit/db/org-db";
import { openDatabase } from "@freehold/kit/db/database";
import { createAssertions } from "@freehold/kit/auth/assertion";
import { readProcessKeys } from "@freehold/kit/auth/keys";
import type { Principal } from "@freehold/kit/auth/principal";
import { createClients } from "@freehold/ledger/clients";
import { database } from "@freehold/ledger/database";
import { postDueCharges } from "@freehold/ledger/receivables/charges/post-due-charges";
import { recordPayment } from "@freehold/ledger/receivables/payments/record-payment";
import type { Office } from "../support/office.ts";
import type { BenchSystem } from "./bench-system.ts";

export async function createInProcessLedger(bench: BenchSystem) {
  const environment = bench.system.environmentOf("ledger");
  const db = await openDatabase(database, environment["LEDGER_DATABASE_URL"]!, 8);
  const keys = createAssertions(
    readProcessKeys("ledger", environment["ASSERTION_KEY"]!, JSON.parse(environment["ASSERTION_PUBLIC_KEYS"]!) as Record<string, string>),
  );
  const addressOf = (service: string) => environment[`${service}_GRPC`]!;
  const clients = createClients({ identity: addressOf("IDENTITY"), portfolio: addressOf("PORTFOLIO"), communications: addressOf("COMMUNICATIONS") }, keys);
  return {
    record: (office: Office, body: object) =>
      recordPayment(new OrgDb(db, principalOf(office)), clients, body as BodyOf<typeof payments.operations.recordPayment>),
    postDueCharges: (office: Office, body: { throughDate: string }) => postDueCharges(new OrgDb(db, principalOf(office)), clients, { ...body, dryRun: false }),
    close: () => db.close(),
  };
}

export const principalOf = ({ organizationId, userId }: Office): Principal => ({
  organizationId,
  userId,
  role: "admin",
  subjectId: null,
  timezone: "America/New_York",
});

/** Returns a function that signs the principal header as the gateway does, for direct requests to a service. */
export function principalHeadersFor(bench: BenchSystem): (office: Office) => Promise<Record<string, string>> {
  const assertions = createAssertions(readProcessKeys("gateway", bench.system.environmentOf("gateway")["ASSERTION_KEY"]!, {}));
  return async (office) => ({ "x-freehold-scope": await assertions.sign({ principal: principalOf(office) }) });
}
