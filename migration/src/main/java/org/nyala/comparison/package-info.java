/**
 * The comparison of entries: of servers by permanent identifiers; of servers, data directories and
 * LDIF files by names.
 *
 * <p>Public face: {@link ServerComparison}, {@link ContentComparison} and {@link EntrySource}.
 */
@NullMarked
package org.nyala.comparison;

import org.jspecify.annotations.NullMarked;
