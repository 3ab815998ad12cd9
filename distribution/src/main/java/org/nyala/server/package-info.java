/**
 * The running server, composed of its parts, and its reconfiguration.
 *
 * <p>Public face: {@link RunningServer}.
 *
 * <p>Imports: {@code config}, {@code core}, {@code core.access}, {@code core.backend}, {@code
 * core.budget}, {@code core.contention}, {@code core.control}, {@code core.directory}, {@code
 * core.dispatch}, {@code core.dn}, {@code core.filter}, {@code core.integrity}, {@code
 * core.limits}, {@code core.message}, {@code core.metrics}, {@code core.operation}, {@code
 * core.password}, {@code core.policy}, {@code core.replica}, {@code core.sasl}, {@code
 * core.schema}, {@code core.schema.load}, {@code core.session}, {@code core.update}, {@code error},
 * {@code lmdb}, {@code lmdb.admin}, {@code lmdb.env}, {@code lmdb.explain}, {@code lmdb.format},
 * {@code lmdb.ldif}, {@code log}, {@code management}, {@code management.bean}, {@code
 * management.http}, {@code management.jmxport}, {@code management.meter}, {@code netty}, {@code
 * netty.accept}, {@code netty.tls}, {@code replica}, {@code service}.
 */
@NullMarked
package org.nyala.server;

import org.jspecify.annotations.NullMarked;
