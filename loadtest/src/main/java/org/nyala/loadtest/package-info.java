/**
 * The load tester for any LDAP server.
 *
 * <p>Priorities, in order: what it reports is true (answers are checked, every request is accounted
 * for), a request costs the client little (client and server often share the machine), then
 * comfort. A {@code Conversation} is one simulated client; it owns its {@code LoadConnection}s, all
 * of them on one event loop, and counts into that loop's {@code LoopStatistics}. Critical path:
 * {@code LoadConnection.channelRead}, {@code ResponseScanner}, {@code RequestTemplate.write}; it
 * allocates nothing.
 */
@NullMarked
package org.nyala.loadtest;

import org.jspecify.annotations.NullMarked;
