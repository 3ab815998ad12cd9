/**
 * The JMX beans of a running server, and the watch that sends their notifications.
 *
 * <p>Public face: {@link ManagementBeans}.
 *
 * <p>Imports: {@code core}, {@code core.access}, {@code core.backend}, {@code core.budget}, {@code
 * core.contention}, {@code core.dispatch}, {@code core.dn}, {@code core.message}, {@code
 * core.metrics}, {@code core.session}, {@code core.update}, {@code lmdb}, {@code lmdb.admin},
 * {@code lmdb.env}, {@code lmdb.journal}, {@code log}, {@code management.bean}, {@code netty},
 * {@code netty.tls}.
 */
@NullMarked
package org.nyala.management;

import org.jspecify.annotations.NullMarked;
