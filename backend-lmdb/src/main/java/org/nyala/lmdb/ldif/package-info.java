/**
 * Bulk import, beside the data in use.
 *
 * <p>Public face: {@link LdifImport}.
 */
@NullMarked
package org.nyala.lmdb.ldif;

import org.jspecify.annotations.NullMarked;
