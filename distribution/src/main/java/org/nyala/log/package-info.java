/**
 * The access log, the audit log, the security log and JFR events.
 *
 * <p>Public face: {@link AccessLog}, {@link AuditLog} and {@link SecurityLog}.
 *
 * <p>Imports: {@code core.access}, {@code core.backend}, {@code core.contention}, {@code
 * core.control}, {@code core.dn}, {@code core.entry}, {@code core.ldif}, {@code core.message},
 * {@code core.metrics}, {@code core.operation}, {@code core.password}, {@code core.schema}, {@code
 * core.session}, {@code core.update}, {@code lmdb.env}, {@code netty.tls}.
 */
@NullMarked
package org.nyala.log;

import org.jspecify.annotations.NullMarked;
