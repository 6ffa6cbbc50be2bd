import type { OpenAPIObject } from '@nestjs/swagger';
import type { Settings } from '../config/settings';
import { DEFAULT_ID_PATTERN, DEFAULT_MAX_REPLY_BYTES, MAX_HEADER_BYTES } from '../shipping/model/limits';

/** What of a schema depends on settings. */
interface ConfigurableSchema {
  readonly pattern?: unknown;
  readonly maxLength?: unknown;
  readonly maxItems?: unknown;
  readonly [other: string]: unknown;
}

/**
 * The document as it holds for these settings: what an identifier looks like, and how large a reply may be. With the
 * defaults it is the document as it was.
 */
export function configuredDocument(document: OpenAPIObject, { idPattern, external }: Settings): OpenAPIObject {
  const pattern = idPattern.source === `^(?:${DEFAULT_ID_PATTERN})$` ? DEFAULT_ID_PATTERN : idPattern.source;
  const configured = (schema: ConfigurableSchema): ConfigurableSchema => ({
    ...schema,
    ...(schema.pattern === DEFAULT_ID_PATTERN &&
      pattern !== DEFAULT_ID_PATTERN && { pattern, minLength: 1, maxLength: MAX_HEADER_BYTES }),
    ...(schema.maxLength === DEFAULT_MAX_REPLY_BYTES && { maxLength: external.maxResponseBytes }),
    ...(schema.maxItems === DEFAULT_MAX_REPLY_BYTES && { maxItems: external.maxResponseBytes }),
  });
  return JSON.parse(JSON.stringify(document), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? configured({ ...value }) : value,
  ) as OpenAPIObject;
}
