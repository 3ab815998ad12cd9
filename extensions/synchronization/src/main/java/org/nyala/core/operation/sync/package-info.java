/**
 * The provider of content synchronization (RFC 4533): refresh by a scan or by the journal, then
 * each change as it is committed; also the log of modifications and persistent searches.
 *
 * <p>Public face: {@link ContentSynchronization} and {@link ModificationLogs}.
 */
@NullMarked
package org.nyala.core.operation.sync;

import org.jspecify.annotations.NullMarked;
