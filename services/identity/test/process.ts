/** Starts additional identity processes with other settings. */
import { ASSERTION_HEADER, createAssertions } from "@freehold/kit/auth/assertion";
import { readProcessKeys } from "@freehold/kit/auth/keys";
import { Client } from "../../../test/support/client.ts";
import { running } from "../../../test/support/running.ts";
import { startServiceProcess } from "../../../test/support/service-process.ts";

interface IdentityReplica {
  client: Client;
  /** Returns the processor time that the replica has used so far. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a replica with these settings. Its client calls the replica without the gateway. */
export async function startIdentity(settings: Record<string, string>): Promise<IdentityReplica> {
  const { baseUrl, metricsUrl, end } = await startServiceProcess("identity", settings);
  return {
    client: new Client(baseUrl),
    cpuSeconds: async () => {
      const metrics = await (await fetch(metricsUrl)).text();
      return Number(/^process_cpu_seconds_total\S* ([\d.e-]+)/m.exec(metrics)![1]);
    },
    stop: () => end("SIGTERM"),
  };
}

/** Returns the headers by which a gateway asserts the network address of a caller without an access token. */
export async function addressHeaders(clientAddress: string): Promise<Record<string, string>> {
  const keys = readProcessKeys("ledger", running().ledgerEnvironment["ASSERTION_KEY"]!, {});
  return { [ASSERTION_HEADER]: await createAssertions(keys).sign({ clientAddress }) };
}
