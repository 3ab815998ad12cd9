/**
 * The report about data that is imported, or that would be.
 *
 * <p>Public face: {@link ImportCheck}, {@link DataExamination} and {@link ImportReport}.
 *
 * <p>Imports: {@code config}, {@code core.backend}, {@code core.bytes}, {@code core.dn}, {@code
 * core.entry}, {@code core.filter}, {@code core.integrity}, {@code core.message}, {@code
 * core.password}, {@code core.policy}, {@code core.schema}, {@code core.schema.load}, {@code
 * error}, {@code lmdb}, {@code lmdb.env}, {@code lmdb.format}, {@code lmdb.ldif}, {@code
 * lmdb.rejection}.
 */
@NullMarked
package org.nyala.importcheck;

import org.jspecify.annotations.NullMarked;
