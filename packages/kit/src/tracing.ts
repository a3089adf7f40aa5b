/**
 * Traces, when a collector is set: one span for each request at the gateway and at its service, each question between
 * services, and each event that is consumed, all of one trace. Without a collector nothing is loaded and nothing runs.
 */
import { context, propagation, SpanKind, SpanStatusCode, trace, type Attributes } from "@opentelemetry/api";

export const TRACE_HEADER = "traceparent";

interface Step {
  name: string;
  kind: "server" | "client" | "consumer";
  /** Whose step this is part of, where that came from another process; else the step under way. */
  parent?: string | undefined;
  attributes?: Attributes;
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };
const SEND_MS = 1_000;
let isOn = false;

/** Sends spans to a collector from here on; the answer sends what is left and stops. */
export async function startTracing(service: string, endpoint: string | undefined): Promise<() => Promise<void>> {
  if (!endpoint) return async () => undefined;
  const [
    { BatchSpanProcessor, TracerProvider },
    { OTLPTraceExporter },
    { AsyncLocalStorageContextManager },
    { W3CTraceContextPropagator },
    { resourceFromAttributes },
  ] = await Promise.all([
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/context-async-hooks"),
    import("@opentelemetry/core"),
    import("@opentelemetry/resources"),
  ]);
  const exporter = new OTLPTraceExporter({ url: new URL("v1/traces", endpoint.replace(/\/*$/, "/")).href });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": `freehold-${service}` }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_MS })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  isOn = true;
  return () => provider.shutdown();
}

/** The step under way, for another process to carry on; undefined without a collector. */
export function traceParent(): string | undefined {
  if (!isOn) return undefined;
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier[TRACE_HEADER];
}

/** Does the work as a step of a trace. */
export async function traced<T>({ name, kind, parent, attributes }: Step, work: () => Promise<T>): Promise<T> {
  if (!isOn) return work();
  const around = parent ? propagation.extract(context.active(), { [TRACE_HEADER]: parent }) : context.active();
  const span = trace.getTracer("freehold").startSpan(name, { kind: kinds[kind], ...(attributes && { attributes }) }, around);
  try {
    return await context.with(trace.setSpan(around, span), work);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
    throw error;
  } finally {
    span.end();
  }
}
