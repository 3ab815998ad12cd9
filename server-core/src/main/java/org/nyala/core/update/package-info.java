/**
 * How the directory changes: requests become resolved changes, and one thread per store applies
 * them, many in one commit.
 */
@NullMarked
package org.nyala.core.update;

import org.jspecify.annotations.NullMarked;
