import './common/compile-cache';
import { bootstrap } from './bootstrap';
import { loadEnvFile } from './config/env-file';

// Modules of a team, and the protocol of another external system: bootstrap({ imports: [TeamModule], protocol: TeamProtocol }).
loadEnvFile();
bootstrap();
