/**
 * The beans of a server as a client of JMX sees them: their interfaces, notifications and events, a
 * connection to them, and flight recordings.
 *
 * <p>Public face: {@link LocalManagement}.
 *
 * <p>Imports: {@code core.contention}, {@code lmdb.env}, {@code lmdb.explain}, {@code log}, {@code
 * netty.tls}.
 */
@NullMarked
package org.nyala.management.bean;

import org.jspecify.annotations.NullMarked;
