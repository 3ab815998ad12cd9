/**
 * Content synchronization (RFC 4533), the side of the provider: refresh from a scan or from the
 * journal of changes, then the changes as they are made; and the log of modifications, which is
 * synchronized like entries.
 *
 * <p>Public face: {@link SyncStage}, {@link LogStage}.
 *
 * <p>Imports: {@code core.access}, {@code core.access.decide}, {@code core.access.rule}, {@code
 * core.backend}, {@code core.budget}, {@code core.control}, {@code core.directory}, {@code
 * core.dispatch}, {@code core.dn}, {@code core.entry}, {@code core.filter}, {@code core.message},
 * {@code core.metrics}, {@code core.operation.search}, {@code core.rights}, {@code core.schema},
 * {@code core.session}, {@code core.update}.
 */
@NullMarked
package org.nyala.core.operation.sync;

import org.jspecify.annotations.NullMarked;
