/**
 * Content synchronization (RFC 4533), the side of the provider: refresh from a scan or from the
 * journal of changes, then the changes as they are made; and the log of modifications, which is
 * synchronized like entries.
 *
 * <p>Public face: {@link SyncStage}, {@link LogStage}.
 *
 * <p>Internal to its module.
 */
@NullMarked
package org.nyala.core.operation.sync;

import org.jspecify.annotations.NullMarked;
