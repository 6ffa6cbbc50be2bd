/** Control and format characters but the line end, which could move the cursor, change colours or reverse the direction of text. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** What a line says in other words than `name: value`. */
interface Line {
  readonly msg?: string;
  readonly context?: string;
  readonly stack?: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly requestId?: string;
  readonly durationMs?: number;
  readonly completeness?: string;
  readonly problem?: string;
  readonly reason?: string;
}

const OPTIONS = {
  colorize: false,
  translateTime: 'SYS:HH:MM:ss',
  ignore: 'pid,hostname,trace_id,span_id,context,stack',
};

/**
 * Loads what makes a JSON line of pino a text for people: local time, level, message and fields, or what a request was and
 * how it ended. The text has its line end; its values move no cursor and start no row.
 */
export async function loadPrettyLine(): Promise<(json: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const formatRequest = prettyFactory({ ...OPTIONS, hideObject: true, messageFormat: requestText });
  const formatMessage = prettyFactory({ ...OPTIONS, messageFormat: messageText });
  return (json) => {
    const line = JSON.parse(json) as Line;
    const text = line.msg === 'request' ? formatRequest(line) : formatMessage(line);
    return text.replace(UNPRINTABLE, escaped);
  };
}

function requestText({ method, route, status, durationMs, completeness, problem, reason, requestId }: Line): string {
  const duration = `${(durationMs ?? 0).toFixed(1)} ms`;
  const parts = [method, route, status, duration, completeness, problem, reason, `(${requestId ?? ''})`];
  const text = parts.filter((part) => part !== undefined).join(' ');
  return text.replaceAll('\n', escaped);
}

/** The message with its context, then the stack. */
function messageText({ context, msg = '', stack }: Line): string {
  const message = context === undefined ? msg : `[${context}] ${msg}`;
  const rows = stack === undefined ? message : `${message}\n${stack}`;
  return rows.replaceAll('\n', '\n  ');
}

/** Such as `\u001b`. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
