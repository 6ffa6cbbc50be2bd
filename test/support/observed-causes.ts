import { eventually } from '../../testing/upstream/eventually';
import { useMonotonicClock } from './monotonic-clock';
import { type Operation } from './operations';
import { type HttpResponse, ONCE, type ScriptedService, type ServiceOptions, useScriptedService } from './service';
import { useSpans } from './spans';

/** The cause of one response in each place where D81 requires it. */
interface ObservedCause {
  readonly response: HttpResponse;
  /** The field `cause` of the request's log line. */
  readonly cause: unknown;
  /** The attribute of the request's span. */
  readonly spans: readonly unknown[];
  /** The warnings about the external system during the request, without their common beginning. */
  readonly lines: readonly string[];
}

interface CauseHarness {
  readonly scripted: Pick<ScriptedService, 'service' | 'upstream'>;
  observe(operation: Operation, headers?: Readonly<Record<string, string>>): Promise<ObservedCause>;
  /**
   * Moves the clock by 61 seconds: the same warnings are logged again, and circuits and retry budget count from zero.
   */
  aMinutePasses(): void;
}

/**
 * The warning about a failed call, as {@link ObservedCause.lines} has it; `malformed` is that about malformed values.
 */
export const failed = ({ call }: Operation, cause: string): string => `failed: ${call}: ${cause}`;
export const malformed = ({ call }: Operation, part: string): string => `sends malformed values: ${call}: ${part}`;

/** A service with tracing, whose log lines, spans and warnings are read after each request. */
export function useCauses(env: Readonly<Record<string, string>> = {}, options?: ServiceOptions): CauseHarness {
  const exporter = useSpans();
  const scripted = useScriptedService({ ...ONCE, ...env }, options);
  const clock = useMonotonicClock();
  beforeEach(() => {
    clock.advance(61_000);
  });
  return {
    scripted,
    aMinutePasses: () => {
      clock.advance(61_000);
    },
    async observe({ request }, headers) {
      const { service } = scripted;
      const [before, requests] = [service.log.length, service.requestLog.length];
      exporter.reset();
      const response = await service.request(request, headers);
      const isServer = ({ kind }: { kind: number }): boolean => kind === 1;
      await eventually(
        'the line and the span of the request',
        () => service.requestLog.length > requests && exporter.getFinishedSpans().some(isServer),
      );
      const spans = exporter.getFinishedSpans().filter(isServer);
      return {
        response,
        cause: service.requestLog.at(-1)?.cause,
        spans: spans.flatMap(({ attributes }) => attributes['shipping.failure.cause'] ?? []),
        lines: service.log
          .slice(before)
          .map((line) => JSON.parse(line) as { level: number; context?: string; msg: string })
          .filter(({ level, context }) => level === 40 && context === 'ExternalSystem')
          .map(({ msg }) => msg.replace(/^The external system /, '')),
      };
    },
  };
}
