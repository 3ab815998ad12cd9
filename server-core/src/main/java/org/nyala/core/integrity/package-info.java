/**
 * The rules for changes, as the writer asks them, and the search for references; memberOf.
 *
 * <p>Public face: {@link ChangeRule}, {@link ChangeCause} and {@link References}.
 */
@NullMarked
package org.nyala.core.integrity;

import org.jspecify.annotations.NullMarked;
