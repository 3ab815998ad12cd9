/**
 * JMX beans, metrics over HTTP, {@code cn=Monitor}, and notifications.
 *
 * <p>Public face: {@link ServerManagement}.
 *
 * <p>Imports: {@code core}, {@code core.access}, {@code core.budget}, {@code core.contention},
 * {@code core.directory}, {@code core.directory.virtual}, {@code core.dispatch}, {@code core.dn},
 * {@code core.message}, {@code core.metrics}, {@code core.session}, {@code lmdb}, {@code
 * lmdb.admin}, {@code lmdb.env}, {@code lmdb.explain}, {@code lmdb.format}, {@code log}, {@code
 * netty}.
 */
@NullMarked
package org.nyala.management;

import org.jspecify.annotations.NullMarked;
