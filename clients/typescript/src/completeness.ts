import type { IncompletenessReason } from './generated/types.gen.ts';

/** How much of the external system's data a result has. */
export type Completeness =
  | {
      readonly level: 'complete';
      readonly reason?: undefined;
      /**
       * The list of `getShippingDetails`, which has no pages, holds as many records as this limit: there may be more.
       */
      readonly limit?: number | undefined;
      readonly dropped?: undefined;
    }
  | {
      readonly level: 'partial' | 'stale' | 'unavailable';
      readonly reason: IncompletenessReason;
      readonly limit?: undefined;
      /**
       * `partial`: how many records are missing, because they were malformed; absent where all are there and only some
       * of their fields were malformed.
       */
      readonly dropped?: number | undefined;
    };

export type CompletenessLevel = Completeness['level'];

/**
 * Reads `Shipping-Completeness`, a structured field (RFC 9651). Unknown parameters are ignored, and unknown reasons are
 * returned as they are, because a newer service may send them.
 *
 * @returns `undefined` where the level is unknown: such a response must not be taken for `complete`
 */
export function parseCompleteness(value: string | null): Completeness | undefined {
  const [level, ...parameters] = (value ?? '').split(';').map((part) => part.trim());
  const valueOf = (name: string): string | undefined =>
    parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1);
  const countOf = (name: string): number | undefined => {
    const digits = valueOf(name) ?? '';
    return /^[0-9]+$/.test(digits) ? Number(digits) : undefined;
  };
  if (level === 'complete') {
    const limit = countOf('limit');
    return limit === undefined ? { level } : { level, limit };
  }
  const reason = valueOf('reason') as IncompletenessReason | '' | undefined;
  if (level !== 'partial' && level !== 'stale' && level !== 'unavailable') return undefined;
  if (!reason) return undefined;
  const dropped = countOf('dropped');
  return { level, reason, ...(dropped !== undefined && { dropped }) };
}
