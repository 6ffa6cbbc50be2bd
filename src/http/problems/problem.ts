import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { FAILURE_REASONS, type FailureReason } from '../../resilience/upstream-failure';

export const MAX_FAULTS = 20;
/** The request id that all examples show; a fixed one, so that the document is the same each time. */
export const EXAMPLE_REQUEST_ID = '3f0f3c1e-6a39-4a3b-9c49-9a3c0c1d2e5f';

const Text = (description: string, example: string, options: ApiPropertyOptions = {}): PropertyDecorator =>
  ApiProperty({ type: String, description, example, ...options });

/** An entry of `errors` in the body of a 400: one invalid parameter, and the rule that it breaks. */
export class ParameterFault {
  @Text('Name of the parameter; an unknown one as it was sent, cut to 64 characters', 'Status', { maxLength: 64 })
  parameter: string;

  @Text('What is wrong with it; the text continues after its name', 'is given more than once', { maxLength: 1024 })
  message: string;
}

/** The body of an error: problem details (RFC 9457). */
export class Problem {
  @Text('Where it is explained: the path of the page of problems, `#` and the `code`', '/problems#invalid-parameters', {
    format: 'uri-reference',
    maxLength: 256,
  })
  type: string;

  @Text('The reason phrase of the status', 'Bad Request', { maxLength: 64 })
  title: string;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 400,
    maximum: 599,
    description: 'The status of the response',
    example: 400,
  })
  status: number;

  @Text('What happened, for people', 'Status is given more than once')
  detail: string;

  @Text('Path of the request', '/api/Shipping/GetShippingDetails', { format: 'uri-reference' })
  instance: string;

  @Text('Stable name of the problem, for programs; codes may be added', 'invalid-parameters', { maxLength: 64 })
  code: string;

  @Text('The value of `X-Request-Id`', EXAMPLE_REQUEST_ID, { maxLength: 64 })
  requestId: string;

  @ApiPropertyOptional({
    enum: FAILURE_REASONS,
    enumName: 'IncompletenessReason',
    description: 'Why the external system gave no usable response',
  })
  reason?: FailureReason;

  @ApiPropertyOptional({ type: [ParameterFault], maxItems: MAX_FAULTS, description: 'The invalid parameters' })
  errors?: readonly ParameterFault[];
}
