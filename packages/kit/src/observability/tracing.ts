/**
 * OpenTelemetry traces: a span for each request at the gateway and at its service, each gRPC call and each consumed event.
 * Without a collector in the settings no OpenTelemetry SDK is loaded.
 */
import { context, propagation, SpanKind, SpanStatusCode, trace, type Attributes } from "@opentelemetry/api";

export const TRACE_HEADER = "traceparent";

interface SpanOptions {
  name: string;
  kind: "server" | "client" | "consumer";
  /** `traceparent` of the parent span in another process. By default the current span is the parent. */
  parent?: string | undefined;
  attributes?: Attributes;
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };
const EXPORT_INTERVAL_MS = 1_000;
let isEnabled = false;

/** Starts the export of spans to a collector. The returned function flushes and stops it. */
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
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: EXPORT_INTERVAL_MS })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  isEnabled = true;
  return () => provider.shutdown();
}

/** Returns the `traceparent` of the current span; undefined without a collector. */
export function traceParent(): string | undefined {
  if (!isEnabled) return undefined;
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier[TRACE_HEADER];
}

/** Runs the work in a span, which records its failure. */
export async function withSpan<T>({ name, kind, parent, attributes }: SpanOptions, work: () => Promise<T>): Promise<T> {
  if (!isEnabled) return work();
  const parentContext = parent ? propagation.extract(context.active(), { [TRACE_HEADER]: parent }) : context.active();
  const span = trace.getTracer("freehold").startSpan(name, { kind: kinds[kind], ...(attributes && { attributes }) }, parentContext);
  try {
    return await context.with(trace.setSpan(parentContext, span), work);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
    throw error;
  } finally {
    span.end();
  }
}
