/**
 * The report about the data of an import, made or only tried.
 *
 * <p>Public face: {@link ImportCheck}, {@link DataExamination} and {@link ImportReport}.
 */
@NullMarked
package org.nyala.importcheck;

import org.jspecify.annotations.NullMarked;
