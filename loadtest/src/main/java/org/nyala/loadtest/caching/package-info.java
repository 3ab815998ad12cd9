/**
 * A directory server over Berkeley DB Java Edition with a cache of entries, for comparison with
 * Nyala's store.
 *
 * <p>Public face: {@link CachingCommand}.
 */
@NullMarked
package org.nyala.loadtest.caching;

import org.jspecify.annotations.NullMarked;
