import type { IncompletenessReason } from './generated/types.gen.ts';

/** How much of what the external system holds an answer shows. */
export type Completeness =
  | { readonly level: 'complete'; readonly reason?: undefined }
  | { readonly level: 'partial' | 'stale' | 'unavailable'; readonly reason: IncompletenessReason };

export type CompletenessLevel = Completeness['level'];

/**
 * Reads `Shipping-Completeness`, a structured field (RFC 9651); parameters other than `reason` are passed over. A reason
 * that is newer than this client is handed on as it is.
 *
 * @returns nothing where the value is unknown: it must not be taken for `complete`
 */
export function parseCompleteness(value: string | null): Completeness | undefined {
  const [level, ...parameters] = (value ?? '').split(';').map((part) => part.trim());
  if (level === 'complete') return { level };
  const reason = parameters.find((parameter) => parameter.startsWith('reason='))?.slice('reason='.length);
  if (level !== 'partial' && level !== 'stale' && level !== 'unavailable') return undefined;
  return reason ? { level, reason: reason as IncompletenessReason } : undefined;
}
