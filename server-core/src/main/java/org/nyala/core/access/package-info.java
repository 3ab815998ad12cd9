/** Who may read what. */
@NullMarked
package org.nyala.core.access;

import org.jspecify.annotations.NullMarked;
