import './common/compile-cache';
import './config/env-file';
import { bootstrap } from './bootstrap';

// Modules of a team, and the protocol of another external system: bootstrap({ imports: [TeamModule], protocol: TeamProtocol }).
bootstrap();
