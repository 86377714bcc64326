/** Takes the place of undici in the bundle: of its agents, mocks, caches, sockets and its fetch, this program uses one agent and what that connects with. */
import request from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';

Dispatcher.prototype.request = request;
export { Agent, buildConnector };
