/**
 * The comparison of the entries of two places: servers by permanent identifiers, and servers, data
 * directories and LDIF files by names.
 *
 * <p>Public face: {@link ServerComparison}, {@link ContentComparison} and {@link EntrySource}.
 */
@NullMarked
package org.nyala.comparison;

import org.jspecify.annotations.NullMarked;
