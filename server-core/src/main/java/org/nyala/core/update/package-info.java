/**
 * The single writer: queue, group commit, feed of changes.
 *
 * <p>Public face: {@link ChangeWriter} and {@link ChangeFeed}.
 */
@NullMarked
package org.nyala.core.update;

import org.jspecify.annotations.NullMarked;
