import type { OpenAPIObject } from '@nestjs/swagger';

type Contents = Record<string, { examples?: Record<string, { readonly value: unknown }> }>;
/** An example of a response; the status is `NaN` for `default`. */
type Example = [name: string, status: number, value: unknown];

/** The examples of all responses of all operations; a name is the path of an operation and that of its example. */
export function examplesOf({ paths }: OpenAPIObject): Example[] {
  return Object.entries(paths).flatMap(([path, { get }]) =>
    Object.entries(get?.responses ?? {}).flatMap(([status, response]) => {
      const contents = Object.values((response as { content?: Contents }).content ?? {});
      const examples = contents.flatMap(({ examples: each = {} }) => Object.entries(each));
      return examples.map(([name, { value }]): Example => [`${path} ${name}`, Number(status), value]);
    }),
  );
}
