/**
 * Replaces undici in the bundle. `src/outgoing/` is the only user: it needs these dispatchers and the connector, without
 * mocks, caches, WebSockets and fetch.
 */
import connect from 'undici/lib/api/api-connect.js';
import request from 'undici/lib/api/api-request.js';
import upgrade from 'undici/lib/api/api-upgrade.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';

Dispatcher.prototype.connect = connect;
Dispatcher.prototype.request = request;
Dispatcher.prototype.upgrade = upgrade;
export { Agent, Pool, ProxyAgent, buildConnector };
