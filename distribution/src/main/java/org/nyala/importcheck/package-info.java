/**
 * The report about data that is imported, or that would be.
 *
 * <p>Public face: {@link ImportCheck}, {@link DataExamination} and {@link ImportReport}.
 */
@NullMarked
package org.nyala.importcheck;

import org.jspecify.annotations.NullMarked;
