/**
 * A directory server over Berkeley DB Java Edition with a cache of entries, to compare Nyala's
 * store with: the read side of Nyala, but for the store.
 *
 * <p>Public face: {@link CachingCommand}.
 *
 * <p>Imports: {@code core}, {@code core.access}, {@code core.backend}, {@code core.bytes}, {@code
 * core.directory}, {@code core.dispatch}, {@code core.dn}, {@code core.entry}, {@code core.filter},
 * {@code core.limits}, {@code core.message}, {@code core.operation}, {@code core.schema}, {@code
 * core.schema.load}, {@code lmdb.env}, {@code lmdb.format}, {@code lmdb.ldif}, {@code
 * loadtest.workload}, {@code netty}.
 */
@NullMarked
package org.nyala.loadtest.caching;

import org.jspecify.annotations.NullMarked;
