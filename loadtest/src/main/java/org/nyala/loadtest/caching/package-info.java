/**
 * A directory server over Berkeley DB Java Edition with a cache of entries, to compare Nyala's
 * store with: the read side of Nyala, but for the store.
 *
 * <p>Public face: {@link CachingCommand}.
 */
@NullMarked
package org.nyala.loadtest.caching;

import org.jspecify.annotations.NullMarked;
