/** Replaces undici in the bundle. This program uses only one agent and its connector, without mocks, caches, WebSockets and fetch. */
import request from 'undici/lib/api/api-request.js';
import upgrade from 'undici/lib/api/api-upgrade.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';

Dispatcher.prototype.request = request;
Dispatcher.prototype.upgrade = upgrade;
export { Agent, buildConnector };
