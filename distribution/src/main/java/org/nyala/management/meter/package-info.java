/**
 * The catalogue of meters, and where it is shown: Prometheus over HTTP, the counters file, {@code
 * cn=Monitor}.
 *
 * <p>Public face: {@link MeterCatalogue}.
 *
 * <p>Imports: {@code core}, {@code core.access}, {@code core.backend}, {@code core.budget}, {@code
 * core.control}, {@code core.directory.virtual}, {@code core.dispatch}, {@code core.dn}, {@code
 * core.message}, {@code core.metrics}, {@code core.policy}, {@code core.session}, {@code lmdb},
 * {@code lmdb.admin}, {@code lmdb.env}, {@code lmdb.journal}, {@code management}, {@code
 * management.bean}, {@code netty}, {@code netty.accept}.
 */
@NullMarked
package org.nyala.management.meter;

import org.jspecify.annotations.NullMarked;
