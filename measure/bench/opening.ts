import type autocannon from 'autocannon';

/** So many connections open at once without ado. */
const FEW = 128;

/**
 * Node accepts one connection each time round its event loop. Those that were accepted first would keep it so busy that
 * hundreds of others wait for many seconds; so each sends one a second until all have had a response.
 */
export class Opening {
  /** What autocannon has to be told. */
  readonly options: Partial<autocannon.Options>;
  private readonly responded = new Set<autocannon.Client>();
  private over: boolean;

  constructor(private readonly connections: number) {
    this.over = connections <= FEW;
    this.options = this.over ? {} : { connectionRate: 1, ignoreCoordinatedOmission: true };
  }

  /** Whether this response came when all connections had had one before. */
  isOver(client: autocannon.Client): boolean {
    if (this.over) return true;
    this.responded.add(client);
    if (this.responded.size < this.connections) return false;
    this.over = true;
    for (const each of this.responded) unbind(each);
    return false;
  }
}

/** autocannon looks at the rate of a client before each request, and once a second where the client has paused. */
function unbind(client: autocannon.Client): void {
  (client as unknown as { rate: number }).rate = Infinity;
}
