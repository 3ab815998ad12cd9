/**
 * Tools of the build: the reference of the manual, and the training of the start-up cache.
 *
 * <p>The reference contains the commands of the load tester as well, so this is the only package of
 * the server's process that imports {@code org.nyala.loadtest.cli}.
 *
 * <p>Public face: {@link BuildTools}.
 *
 * <p>Imports: {@code cli}, {@code config}, {@code core.access}, {@code core.ber}, {@code
 * core.directory}, {@code core.directory.virtual}, {@code core.metrics}, {@code core.schema},
 * {@code error}, {@code lmdb.format}, {@code loadtest.cli}, {@code management}, {@code
 * management.meter}, {@code migrate}, {@code server}, {@code service}.
 */
@NullMarked
package org.nyala.build;

import org.jspecify.annotations.NullMarked;
