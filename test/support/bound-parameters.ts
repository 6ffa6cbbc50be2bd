import type { Type } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { readSettings } from '../../src/config/settings';
import { ParameterClass } from '../../src/http/parameters/parameter-class';
import { ParametersPipe } from '../../src/http/parameters/query-parameters.pipe';
import { InvalidParametersException, PlainMessageException } from '../../src/http/problems/problem-definitions';

const PIPE = new ParametersPipe(readSettings({}));

/** What comes of parameters: the bound object and the header of ignored names, or the plain message, or the errors. */
export interface Bound {
  readonly bound?: object;
  readonly ignored?: string;
  readonly plain?: string;
  readonly errors?: readonly { readonly parameter: string; readonly message: string }[];
}

/** Binds a query string, for a strict client or with the parameters of a path, to an object of a class. */
export async function bind(
  type: Type<object>,
  query: string,
  { strict, path }: { strict?: boolean; path?: Readonly<Record<string, string>> } = {},
): Promise<Bound> {
  let ignored: string | undefined;
  const header = (_: string, value: string): string => (ignored = value);
  const request = { record: {}, originalUrl: `/?${query}`, params: path, strict };
  const reply = { header, request } as unknown as FastifyReply;
  try {
    const bound = await PIPE.transform({ known: new ParameterClass(type), isInPath: path !== undefined, reply });
    expect(bound).toBeInstanceOf(type);
    return { bound, ignored };
  } catch (error) {
    if (error instanceof PlainMessageException) return { plain: error.message };
    if (error instanceof InvalidParametersException) return { errors: error.definition.errors };
    throw error;
  }
}
