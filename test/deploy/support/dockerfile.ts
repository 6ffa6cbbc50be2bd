/** An instruction of a Dockerfile; `stage` counts from 0. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
  readonly stage: number;
}

/** Instructions in their order, lines that go on joined, comments left out, build arguments with defaults put in. */
export function parseDockerfile(source: string): Instruction[] {
  const lines = source.replace(/^\s*#.*\n/gm, '').replace(/\\\n\s*/g, '').split('\n'); // prettier-ignore
  const defaults = new Map<string, string>();
  let stage = -1;
  return lines.filter((line) => line.trim() !== '').map((line) => {
    const [, name = '', rest = ''] = /^([A-Za-z]+)\s+(.*)$/.exec(line) ?? [];
    const text = rest.replace(/\$\{(\w+)\}/g, (whole, argument: string) => defaults.get(argument) ?? whole);
    if (name === 'ARG') defaults.set(text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1));
    if (name === 'FROM') stage += 1;
    return { name, text, stage };
  }); // prettier-ignore
}

/** The command of an instruction in exec form; `undefined` where a shell would come in between. */
export function execForm(text: string): string[] | undefined {
  const from = text.indexOf('[');
  if (from === -1 || !/^(?:--\S+\s+)*(?:CMD\s+)?$/.test(text.slice(0, from))) return undefined;
  try {
    return JSON.parse(text.slice(from)) as string[];
  } catch {
    return undefined;
  }
}

/** What is wrong with the image that a Dockerfile describes. */
export function dockerfileFaults(source: string): string[] {
  const instructions = parseDockerfile(source);
  const last = Math.max(...instructions.map(({ stage }) => stage));
  const final = instructions.filter(({ stage }) => stage === last);
  const valueOf = (name: string): string | undefined => final.findLast((each) => each.name === name)?.text;
  const bases = instructions.filter(({ name }) => name === 'FROM').map(({ text }) => text.split(' ')[0] ?? '');
  const health = valueOf('HEALTHCHECK');
  const rules: [fault: string, isBroken: boolean][] = [
    ['a base image is not pinned to an exact version', !bases.every((base) => /:\d+\.\d+\.\d+-\w+/.test(base))],
    ['one stage alone', bases.length < 2],
    ['runs as root or as a user without a number', !/^[1-9]\d*(:[1-9]\d*)?$/.test(valueOf('USER') ?? '')],
    ['no health check', health === undefined || health === 'NONE'],
    ['the health check needs a shell', execForm(health ?? '') === undefined],
    ['the health check needs a program that the base image lacks', /curl|wget/.test(health ?? '')],
    ['the command needs a shell, which keeps SIGTERM to itself', execForm(valueOf('CMD') ?? '') === undefined],
    ['the command starts npm, which keeps SIGTERM to itself', (valueOf('CMD') ?? '').includes('npm')],
    ['stops by another signal', valueOf('STOPSIGNAL') !== 'SIGTERM'],
    ['packages not by the lock file', instructions.some(({ text }) => /npm (install|i)\b/.test(text))],
    ['development packages', !final.some(({ text }) => /--from=dependencies .*node_modules/.test(text)) || !instructions.some(({ text }) => /npm ci .*--omit=dev/.test(text))], // prettier-ignore
    ['builds in the last stage', final.some(({ name }) => name === 'RUN')],
    ['copies whole folders of the context', instructions.some(({ name, text }) => name === 'COPY' && /^\.\s/.test(text))], // prettier-ignore
    ['fetches from elsewhere', instructions.some(({ name }) => name === 'ADD')],
  ];
  return rules.filter(([, isBroken]) => isBroken).map(([fault]) => fault);
}
