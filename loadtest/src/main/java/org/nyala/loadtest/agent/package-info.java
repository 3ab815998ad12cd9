/**
 * Load from several hosts: agents that wait for tests, and the coordinator that splits a test among
 * them and joins their figures.
 *
 * <p>Public face: {@link AgentCommand} and {@link AgentOptions}.
 */
@NullMarked
package org.nyala.loadtest.agent;

import org.jspecify.annotations.NullMarked;
