/**
 * Bulk import aside of the data in use, and export.
 *
 * <p>Public face: {@link LdifImport} and {@link LdifExport}.
 */
@NullMarked
package org.nyala.lmdb.ldif;

import org.jspecify.annotations.NullMarked;
