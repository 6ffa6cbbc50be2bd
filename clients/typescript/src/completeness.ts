import type { IncompletenessReason } from './generated/types.gen.ts';

/**
 * How much of what the external system holds an answer shows. A `limit` says that the unpaged list holds as many records
 * as its limit: there may be more.
 */
export type Completeness =
  | { readonly level: 'complete'; readonly limit?: number | undefined; readonly reason?: undefined }
  | {
      readonly level: 'partial' | 'stale' | 'unavailable';
      readonly limit?: undefined;
      readonly reason: IncompletenessReason;
    };

export type CompletenessLevel = Completeness['level'];

/**
 * Reads `Shipping-Completeness`, a structured field (RFC 9651); parameters other than `limit` and `reason` are passed
 * over. A reason that is newer than this client is handed on as it is.
 *
 * @returns nothing where the value is unknown: it must not be taken for `complete`
 */
export function parseCompleteness(value: string | null): Completeness | undefined {
  const [level, ...parameters] = (value ?? '').split(';').map((part) => part.trim());
  const valueOf = (name: string): string | undefined =>
    parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1);
  if (level === 'complete') {
    const limit = valueOf('limit') ?? '';
    return /^[0-9]+$/.test(limit) ? { level, limit: Number(limit) } : { level };
  }
  const reason = valueOf('reason');
  if (level !== 'partial' && level !== 'stale' && level !== 'unavailable') return undefined;
  return reason ? { level, reason: reason as IncompletenessReason } : undefined;
}
